; The native side of the drop-in libttsim.so: the host's calls become messages to a process that
; holds the chip. The host calls from several native threads, some of which hold locks of its own
; Python, so nothing here runs Python.
;
; A message is 16 bytes (operation u32, size u32, address u64) and then its data. Writes wait in
; @buffer until something must be answered. An answer's address is 1 if nothing on the chip can
; change before the next write: clocks until then are not worth a message.
; server.py has the other side. {CONSTANTS}: strings, filled in when the library is laid out.

{CONSTANTS}
@gone = private constant [70 x i8] c"tilelab: the simulated chip has stopped; from now on it reads as ones\0A"

@fd = internal global i32 -1
@pid = internal global i32 0
@dead = internal global i8 0
@quiet = internal global i8 0
@used = internal global i64 0
@lock = internal global [64 x i8] zeroinitializer, align 16
@read_host = internal global ptr null
@write_host = internal global ptr null
@buffer = internal global [65536 x i8] zeroinitializer, align 16
@scratch = internal global [1048576 x i8] zeroinitializer, align 16
@environ = external global ptr

declare i32 @socketpair(i32, i32, i32, ptr) nonlazybind
declare i32 @posix_spawn_file_actions_init(ptr) nonlazybind
declare i32 @posix_spawn_file_actions_adddup2(ptr, i32, i32) nonlazybind
declare i32 @posix_spawn_file_actions_destroy(ptr) nonlazybind
declare i32 @posix_spawn(ptr, ptr, ptr, ptr, ptr, ptr) nonlazybind
declare i32 @waitpid(i32, ptr, i32) nonlazybind
declare i64 @send(i32, ptr, i64, i32) nonlazybind
declare i64 @recv(i32, ptr, i64, i32) nonlazybind
declare i64 @write(i32, ptr, i64) nonlazybind
declare i32 @close(i32) nonlazybind
declare ptr @memcpy(ptr, ptr, i64) nonlazybind
declare ptr @memset(ptr, i32, i64) nonlazybind
declare ptr @__errno_location() nonlazybind
declare i32 @pthread_mutex_lock(ptr) nonlazybind
declare i32 @pthread_mutex_unlock(ptr) nonlazybind

; The process is gone, or never came: say so once.
define internal void @die() {
  %was = load i8, ptr @dead
  %first = icmp eq i8 %was, 0
  br i1 %first, label %say, label %done
say:
  store i8 1, ptr @dead
  store i64 0, ptr @used
  call i64 @write(i32 2, ptr @gone, i64 70)
  br label %done
done:
  ret void
}

; Start the process that holds the chip, with our socket as its descriptor 3.
define internal void @start() {
  %fds = alloca [2 x i32]
  %argv = alloca [6 x ptr]
  %actions = alloca [256 x i8], align 16
  %open = call i32 @socketpair(i32 1, i32 524289, i32 0, ptr %fds)  ; AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC
  %ok = icmp eq i32 %open, 0
  br i1 %ok, label %spawn, label %failed
spawn:
  %ours = load i32, ptr %fds
  %their.at = getelementptr i32, ptr %fds, i64 1
  %theirs = load i32, ptr %their.at
  %a0 = call i32 @posix_spawn_file_actions_init(ptr %actions)
  %a1 = call i32 @posix_spawn_file_actions_adddup2(ptr %actions, i32 %theirs, i32 3)
  store ptr @python, ptr %argv
  %arg1 = getelementptr ptr, ptr %argv, i64 1
  store ptr @option, ptr %arg1
  %arg2 = getelementptr ptr, ptr %argv, i64 2
  store ptr @program, ptr %arg2
  %arg3 = getelementptr ptr, ptr %argv, i64 3
  store ptr @chip, ptr %arg3
  %arg4 = getelementptr ptr, ptr %argv, i64 4
  store ptr null, ptr %arg4
  %env = load ptr, ptr @environ
  %status = call i32 @posix_spawn(ptr @pid, ptr @python, ptr %actions, ptr null, ptr %argv, ptr %env)
  %a2 = call i32 @posix_spawn_file_actions_destroy(ptr %actions)
  %a3 = call i32 @close(i32 %theirs)
  store i32 %ours, ptr @fd
  %spawned = icmp eq i32 %status, 0
  br i1 %spawned, label %done, label %failed
failed:
  call void @die()
  br label %done
done:
  ret void
}

; Send or receive all of a range; whoever looks at @dead afterwards knows whether that went well.
define internal void @move_all(ptr %data, i64 %count, i1 %out) {
entry:
  br label %loop
loop:
  %at = phi ptr [ %data, %entry ], [ %next, %moved ], [ %at, %error ]
  %left = phi i64 [ %count, %entry ], [ %rest, %moved ], [ %left, %error ]
  %none = icmp eq i64 %left, 0
  br i1 %none, label %done, label %go
go:
  %fd = load i32, ptr @fd
  br i1 %out, label %sending, label %receiving
sending:
  %sent = call i64 @send(i32 %fd, ptr %at, i64 %left, i32 16384)  ; MSG_NOSIGNAL
  br label %check
receiving:
  %got = call i64 @recv(i32 %fd, ptr %at, i64 %left, i32 256)  ; MSG_WAITALL
  br label %check
check:
  %n = phi i64 [ %sent, %sending ], [ %got, %receiving ]
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %moved, label %nothing
moved:
  %next = getelementptr i8, ptr %at, i64 %n
  %rest = sub i64 %left, %n
  br label %loop
nothing:
  %ended = icmp eq i64 %n, 0
  br i1 %ended, label %lost, label %error
error:
  %where = call ptr @__errno_location()
  %errno = load i32, ptr %where
  %again = icmp eq i32 %errno, 4  ; EINTR
  br i1 %again, label %loop, label %lost
lost:
  call void @die()
  br label %done
done:
  ret void
}

define internal void @flush() {
  %n = load i64, ptr @used
  store i64 0, ptr @used
  call void @move_all(ptr @buffer, i64 %n, i1 true)
  ret void
}

; Add a message to the buffer; data larger than the buffer goes out directly.
define internal void @put(i32 %operation, i32 %size, i64 %address, ptr %data, i64 %bytes) {
  %fd = load i32, ptr @fd
  %fresh = icmp slt i32 %fd, 0
  br i1 %fresh, label %begin, label %begun
begin:
  call void @start()
  br label %begun
begun:
  %dead = load i8, ptr @dead
  %alive = icmp eq i8 %dead, 0
  br i1 %alive, label %room, label %done
room:
  %used = load i64, ptr @used
  %header.end = add i64 %used, 16
  %end = add i64 %header.end, %bytes
  %fits = icmp ule i64 %end, 65536
  br i1 %fits, label %head, label %full
full:
  call void @flush()
  br label %head
head:
  %from = load i64, ptr @used
  %to = getelementptr i8, ptr @buffer, i64 %from
  store i32 %operation, ptr %to
  %size.at = getelementptr i8, ptr %to, i64 4
  store i32 %size, ptr %size.at
  %address.at = getelementptr i8, ptr %to, i64 8
  store i64 %address, ptr %address.at
  %after = add i64 %from, 16
  store i64 %after, ptr @used
  %whole = add i64 %after, %bytes
  %inside = icmp ule i64 %whole, 65536
  br i1 %inside, label %copy, label %direct
copy:
  %data.at = getelementptr i8, ptr @buffer, i64 %after
  %c = call ptr @memcpy(ptr %data.at, ptr %data, i64 %bytes)
  store i64 %whole, ptr @used
  br label %done
direct:
  call void @flush()
  call void @move_all(ptr %data, i64 %bytes, i1 true)
  br label %done
done:
  ret void
}

; Wait for an answer of so many bytes; meanwhile the chip may read and write host memory.
define internal void @answer(ptr %data, i64 %bytes) {
  %header = alloca [16 x i8], align 16
  call void @flush()
  br label %next
next:
  %before = load i8, ptr @dead
  %gone = icmp ne i8 %before, 0
  br i1 %gone, label %ones, label %listen
listen:
  call void @move_all(ptr %header, i64 16, i1 false)
  %dead = load i8, ptr @dead
  %lost = icmp ne i8 %dead, 0
  br i1 %lost, label %ones, label %look
look:
  %operation = load i32, ptr %header
  %size.at = getelementptr i8, ptr %header, i64 4
  %size = load i32, ptr %size.at
  %size64 = zext i32 %size to i64
  %address.at = getelementptr i8, ptr %header, i64 8
  %address = load i64, ptr %address.at
  switch i32 %operation, label %reply [ i32 1, label %reads  i32 2, label %writes ]
reads:
  %reader = load ptr, ptr @read_host
  %can.read = icmp ne ptr %reader, null
  br i1 %can.read, label %read, label %read.done
read:
  call void %reader(i64 %address, ptr @scratch, i32 %size)
  br label %read.done
read.done:
  call void @put(i32 6, i32 %size, i64 %address, ptr @scratch, i64 %size64)
  call void @flush()
  br label %next
writes:
  call void @move_all(ptr @scratch, i64 %size64, i1 false)
  %writer = load ptr, ptr @write_host
  %can.write = icmp ne ptr %writer, null
  br i1 %can.write, label %write, label %next
write:
  call void %writer(i64 %address, ptr @scratch, i32 %size)
  br label %next
reply:
  call void @move_all(ptr %data, i64 %bytes, i1 false)
  %flag = trunc i64 %address to i8
  store i8 %flag, ptr @quiet
  ret void
ones:
  %m = call ptr @memset(ptr %data, i32 255, i64 %bytes)
  ret void
}

; End the process, if there is one.
define internal void @stop() {
  %fd = load i32, ptr @fd
  %none = icmp slt i32 %fd, 0
  br i1 %none, label %clean, label %end
end:
  call void @put(i32 5, i32 0, i64 0, ptr null, i64 0)
  call void @flush()
  %c = call i32 @close(i32 %fd)
  %pid = load i32, ptr @pid
  %w = call i32 @waitpid(i32 %pid, ptr null, i32 0)
  store i32 -1, ptr @fd
  br label %clean
clean:
  store i8 0, ptr @dead
  store i8 0, ptr @quiet
  store i64 0, ptr @used
  ret void
}

define void @libttsim_init() {
  %l = call i32 @pthread_mutex_lock(ptr @lock)
  call void @stop()
  %u = call i32 @pthread_mutex_unlock(ptr @lock)
  ret void
}

define void @libttsim_exit() {
  %l = call i32 @pthread_mutex_lock(ptr @lock)
  call void @stop()
  %u = call i32 @pthread_mutex_unlock(ptr @lock)
  ret void
}

define void @libttsim_clock(i32 %count) {
  %l = call i32 @pthread_mutex_lock(ptr @lock)
  %quiet = load i8, ptr @quiet
  %rests = icmp ne i8 %quiet, 0
  br i1 %rests, label %done, label %ask
ask:
  %count64 = zext i32 %count to i64
  call void @put(i32 4, i32 0, i64 %count64, ptr null, i64 0)
  call void @answer(ptr null, i64 0)
  br label %done
done:
  %u = call i32 @pthread_mutex_unlock(ptr @lock)
  ret void
}

define void @libttsim_pci_mem_rd_bytes(i64 %address, ptr %data, i32 %size) {
  %l = call i32 @pthread_mutex_lock(ptr @lock)
  %bytes = zext i32 %size to i64
  call void @put(i32 2, i32 %size, i64 %address, ptr null, i64 0)
  call void @answer(ptr %data, i64 %bytes)
  %u = call i32 @pthread_mutex_unlock(ptr @lock)
  ret void
}

define void @libttsim_pci_mem_wr_bytes(i64 %address, ptr %data, i32 %size) {
  %l = call i32 @pthread_mutex_lock(ptr @lock)
  %bytes = zext i32 %size to i64
  store i8 0, ptr @quiet
  call void @put(i32 3, i32 %size, i64 %address, ptr %data, i64 %bytes)
  %u = call i32 @pthread_mutex_unlock(ptr @lock)
  ret void
}

; The upper 24 bits of the operation are a tile's coordinates, 12 bits each.
define void @libttsim_tile_rd_bytes(i32 %x, i32 %y, i64 %address, ptr %data, i32 %size) {
  %l = call i32 @pthread_mutex_lock(ptr @lock)
  %bytes = zext i32 %size to i64
  %x.up = shl i32 %x, 8
  %y.up = shl i32 %y, 20
  %at = or i32 %x.up, %y.up
  %operation = or i32 %at, 7
  call void @put(i32 %operation, i32 %size, i64 %address, ptr null, i64 0)
  call void @answer(ptr %data, i64 %bytes)
  %u = call i32 @pthread_mutex_unlock(ptr @lock)
  ret void
}

define void @libttsim_tile_wr_bytes(i32 %x, i32 %y, i64 %address, ptr %data, i32 %size) {
  %l = call i32 @pthread_mutex_lock(ptr @lock)
  %bytes = zext i32 %size to i64
  %x.up = shl i32 %x, 8
  %y.up = shl i32 %y, 20
  %at = or i32 %x.up, %y.up
  %operation = or i32 %at, 8
  store i8 0, ptr @quiet
  call void @put(i32 %operation, i32 %size, i64 %address, ptr %data, i64 %bytes)
  %u = call i32 @pthread_mutex_unlock(ptr @lock)
  ret void
}

define void @libttsim_set_pci_dma_mem_callbacks(ptr %reader, ptr %writer) {
  store ptr %reader, ptr @read_host
  store ptr %writer, ptr @write_host
  ret void
}

define void @libttsim_pci_config_wr32(i32 %bdf, i32 %offset, i32 %value) {
  ret void
}

define i32 @libttsim_pci_config_rd32(i32 %bdf, i32 %offset) {
  %ours = icmp eq i32 %bdf, 0
  br i1 %ours, label %device, label %none
device:
  switch i32 %offset, label %none [ {CASES} ]
{RETURNS}
none:
  ret i32 -1
}
