; The outside of the drop-in libttsim.so: the functions that the host calls, around the chip's own
; kernels, which are compiled into the same library. The host calls from several native threads, some
; of which hold locks of its own Python, so nothing here runs Python while the chip is well.
;
; What goes wrong is told by another process: it is given a copy of the chip's memory, says what
; happened on stderr, and ends; from then on the device reads as ones. explain.py is its side.
; {NAMES} are filled in for each chip; @python, @chip.text and @image where the library is laid out.

@gone = private constant [70 x i8] c"tilelab: the simulated chip has stopped; from now on it reads as ones\0A"
@outside = private constant [77 x i8] c"tilelab: the host uses the chip before libttsim_init, or after libttsim_exit\0A"
@again = private constant [80 x i8] c"tilelab: the host calls libttsim_init again, without libttsim_exit between them\0A"
@odd = private constant [82 x i8] c"tilelab: the host reads configuration space at an offset that is no multiple of 4\0A"
@nothing = private constant [42 x i8] c"tilelab: the host reads or writes 0 bytes\0A"
@option.e = private constant [3 x i8] c"-E\00"
@option.m = private constant [3 x i8] c"-m\00"
@program = private constant [{PROGRAM_SIZE} x i8] c"{PROGRAM}\00"
@report = private constant [{REPORT_SIZE} x i8] c"{REPORT}\00"
@memory.name = private constant [13 x i8] c"tilelab-chip\00"

@python = hidden global <{ i8, [4095 x i8] }> <{ i8 1, [4095 x i8] zeroinitializer }>, align 16
@chip.text = hidden global <{ i8, [16383 x i8] }> <{ i8 1, [16383 x i8] zeroinitializer }>, align 16
@image = hidden global <{ i8, [{IMAGE_REST} x i8] }> <{ i8 1, [{IMAGE_REST} x i8] zeroinitializer }>, align 64

@chip = internal global [{WHOLE} x i8] zeroinitializer, align 64
@on = internal global i8 0
@begun = internal global i8 0  ; between libttsim_init and libttsim_exit
@idle = internal global i32 0  ; clocks in a row in which nothing could change
@dead = internal global i8 0
@touched = internal global i8 0  ; the host has read or written since its last clock
@lock = internal global [64 x i8] zeroinitializer, align 16
@read_host = internal global ptr null
@write_host = internal global ptr null
@tile.memory = internal global ptr null
@dram.memory = internal global ptr null
@ethernet.memory = internal global ptr null
@code.memory = internal global ptr null  ; what words of code decode to, for every thread that runs tiles
@environ = external global ptr

declare ptr @mmap(ptr, i64, i32, i32, i32, i64) nonlazybind
declare i32 @munmap(ptr, i64) nonlazybind
declare i32 @memfd_create(ptr, i32) nonlazybind
declare i32 @posix_spawn_file_actions_init(ptr) nonlazybind
declare i32 @posix_spawn_file_actions_adddup2(ptr, i32, i32) nonlazybind
declare i32 @posix_spawn_file_actions_destroy(ptr) nonlazybind
declare i32 @posix_spawn(ptr, ptr, ptr, ptr, ptr, ptr) nonlazybind
declare i32 @waitpid(i32, ptr, i32) nonlazybind
declare i64 @write(i32, ptr, i64) nonlazybind
declare i32 @close(i32) nonlazybind
declare ptr @getenv(ptr) nonlazybind
declare ptr @memcpy(ptr, ptr, i64) nonlazybind
declare ptr @memset(ptr, i32, i64) nonlazybind
declare i32 @pthread_mutex_lock(ptr) nonlazybind
declare i32 @pthread_mutex_unlock(ptr) nonlazybind

declare i64 @power_up(ptr)
declare i64 @pci_read(ptr, i64, i64)
declare i64 @pci_write(ptr, i64, i64)
declare i64 @host_read(ptr, i64, i64, i64)
declare i64 @write_place(ptr, i64, i64, i64)
declare i64 @start_run(ptr, i64)
declare i64 @pass_clock(ptr)
declare i64 @go_past(ptr)
declare i64 @wanted(ptr)
declare i64 @run_tile(ptr, i64)
declare i64 @settle(ptr)

define internal ptr @c() {
  %c = getelementptr i8, ptr @chip, i64 64
  ret ptr %c
}

define internal ptr @part(i64 %offset) {
  %c = call ptr @c()
  %p = getelementptr i8, ptr %c, i64 %offset
  ret ptr %p
}

define internal i64 @states() {
  %p = call ptr @part(i64 {STATES_AT})
  %n = load i32, ptr %p
  %n64 = zext i32 %n to i64
  ret i64 %n64
}

; The record of a tile; its L1 and what else it has lie at fixed distances.
define internal ptr @tile(i64 %i) {
  %base = load ptr, ptr @tile.memory
  %at = mul i64 %i, {STRIDE}
  %start = getelementptr i8, ptr %base, i64 %at
  %record = getelementptr i8, ptr %start, i64 64
  ret ptr %record
}

; Have a tile remember in the memory of one thread what its words of code decode to. Each entry is
; good for the word beside it alone, so all tiles that the thread runs share them: they run the same.
define internal void @lend(i64 %thread, i64 %i) {
  %base = load ptr, ptr @code.memory
  %at = mul i64 %thread, {CODE_STRIDE}
  %words = getelementptr i8, ptr %base, i64 %at
  %operations = getelementptr i8, ptr %words, i64 {OPERATIONS_AT}
  %record = call ptr @tile(i64 %i)
  %slot1 = getelementptr i8, ptr %record, i64 -16
  store ptr %words, ptr %slot1
  %slot2 = getelementptr i8, ptr %record, i64 -24
  store ptr %operations, ptr %slot2
  ret void
}

; Memory that exists as soon as it is touched; null if there is no room for its addresses.
define internal ptr @reserve(i64 %bytes) {
  %p = call ptr @mmap(ptr null, i64 %bytes, i32 3, i32 16418, i32 -1, i64 0)  ; PRIVATE | ANONYMOUS | NORESERVE
  %n = ptrtoint ptr %p to i64
  %failed = icmp eq i64 %n, -1
  %found = select i1 %failed, ptr null, ptr %p
  ret ptr %found
}

; Say that the host must not do this, unless the chip has stopped already; it has from now on.
define internal void @refuse(ptr %text, i64 %size) {
  %dead = load i8, ptr @dead
  %well = icmp eq i8 %dead, 0
  br i1 %well, label %say, label %done
say:
  store i8 1, ptr @dead
  %w = call i64 @write(i32 2, ptr %text, i64 %size)
  %v = call i64 @write(i32 2, ptr @gone, i64 70)
  br label %done
done:
  ret void
}

; A fresh chip, if there is none: 1 if it can be used.
define internal i1 @ready() {
  %begun = load i8, ptr @begun
  %open = icmp ne i8 %begun, 0
  br i1 %open, label %inside, label %outside
outside:
  call void @refuse(ptr @outside, i64 77)
  br label %no
inside:
  %dead = load i8, ptr @dead
  %gone = icmp ne i8 %dead, 0
  br i1 %gone, label %no, label %look
look:
  %on = load i8, ptr @on
  %runs = icmp ne i8 %on, 0
  br i1 %runs, label %yes, label %begin
begin:
  %copied = call ptr @memcpy(ptr @chip, ptr @image, i64 {IMAGE})
  %states = call i64 @states()
  %bytes = mul i64 %states, {STRIDE}
  %some = add i64 %bytes, 4096
  %tile.memory = call ptr @reserve(i64 %some)
  %dram = call ptr @reserve(i64 {DRAM})
  %ethernet = call ptr @reserve(i64 {ETHERNET})
  %code = call ptr @reserve(i64 {CODES})
  store ptr %tile.memory, ptr @tile.memory
  store ptr %code, ptr @code.memory
  store ptr %dram, ptr @dram.memory
  store ptr %ethernet, ptr @ethernet.memory
  %a = icmp ne ptr %tile.memory, null
  %b = icmp ne ptr %dram, null
  %d = icmp ne ptr %ethernet, null
  %e = icmp ne ptr %code, null
  %ab = and i1 %a, %b
  %de = and i1 %d, %e
  %all = and i1 %ab, %de
  br i1 %all, label %room, label %none
none:
  store i8 1, ptr @dead
  %w = call i64 @write(i32 2, ptr @gone, i64 70)
  br label %no
room:
  %dram.at = getelementptr i8, ptr @chip, i64 56
  store ptr %dram, ptr %dram.at
  %ethernet.at = getelementptr i8, ptr @chip, i64 48
  store ptr %ethernet, ptr %ethernet.at
  br label %next
next:
  %i = phi i64 [ 0, %room ], [ %i.next, %fill ]
  %more = icmp ult i64 %i, %states
  br i1 %more, label %fill, label %up
fill:
  %record = call ptr @tile(i64 %i)
  %start = getelementptr i8, ptr %record, i64 -64
  %l1 = getelementptr i8, ptr %record, i64 {L1_AT}
  %slot0 = getelementptr i8, ptr %record, i64 -8
  store ptr %l1, ptr %slot0
  call void @lend(i64 0, i64 %i)
  %slot3 = getelementptr i8, ptr %record, i64 -32
  store ptr %record, ptr %slot3
  %offset = mul i64 %i, 8
  %where = add i64 %offset, {ADDRESS_OF_AT}
  %address.at = call ptr @part(i64 %where)
  store ptr %record, ptr %address.at
  ; pages that would be read before they are written
{TOUCHES}
  %i.next = add i64 %i, 1
  br label %next
up:
  %c = call ptr @c()
  %p = call i64 @power_up(ptr %c)
  store i8 1, ptr @on
  br label %yes
yes:
  ret i1 true
no:
  ret i1 false
}

define internal void @write_all(i32 %fd, ptr %data, i64 %count) {
entry:
  br label %loop
loop:
  %at = phi ptr [ %data, %entry ], [ %next, %go ]
  %left = phi i64 [ %count, %entry ], [ %rest, %go ]
  %none = icmp sle i64 %left, 0
  br i1 %none, label %done, label %try
try:
  %n = call i64 @write(i32 %fd, ptr %at, i64 %left)
  %ok = icmp sgt i64 %n, 0
  br i1 %ok, label %go, label %done
go:
  %next = getelementptr i8, ptr %at, i64 %n
  %rest = sub i64 %left, %n
  br label %loop
done:
  ret void
}

; Have another process say what happened, from a copy of everything that it needs.
define internal void @tell(i64 %kind, i64 %code, i64 %address, i64 %size) {
  %head = alloca [4 x i64], align 16
  %argv = alloca [6 x ptr], align 16
  %actions = alloca [256 x i8], align 16
  %pid = alloca i32
  store i64 %kind, ptr %head
  %head1 = getelementptr i64, ptr %head, i64 1
  store i64 %code, ptr %head1
  %head2 = getelementptr i64, ptr %head, i64 2
  store i64 %address, ptr %head2
  %head3 = getelementptr i64, ptr %head, i64 3
  store i64 %size, ptr %head3
  %fd = call i32 @memfd_create(ptr @memory.name, i32 1)  ; MFD_CLOEXEC
  call void @write_all(i32 %fd, ptr %head, i64 32)
  %c = call ptr @c()
  call void @write_all(i32 %fd, ptr %c, i64 {CHIP})
  %states = call i64 @states()
  br label %next
next:
  %i = phi i64 [ 0, %0 ], [ %i.next, %copy ]
  %more = icmp ult i64 %i, %states
  br i1 %more, label %copy, label %start
copy:
  %record = call ptr @tile(i64 %i)
  call void @write_all(i32 %fd, ptr %record, i64 {RECORD})
  %l1 = getelementptr i8, ptr %record, i64 {L1_AT}
  %stuck = icmp eq i64 %kind, {STUCK_KIND}
  %code.size = select i1 %stuck, i64 {CODE_SIZE}, i64 0
  call void @write_all(i32 %fd, ptr %l1, i64 %code.size)
  %i.next = add i64 %i, 1
  br label %next
start:
  %turn.at = call ptr @part(i64 {TURN_AT})
  %turn = load i32, ptr %turn.at
  %which = zext i32 %turn to i64
  %inside = icmp ult i64 %which, %states
  %whose = select i1 %inside, i64 %which, i64 0
  %whose.record = call ptr @tile(i64 %whose)
  %whose.l1 = getelementptr i8, ptr %whose.record, i64 {L1_AT}
  call void @write_all(i32 %fd, ptr %whose.l1, i64 {CODE_SIZE})
  store ptr @python, ptr %argv
  %arg1 = getelementptr ptr, ptr %argv, i64 1
  store ptr @option.e, ptr %arg1
  %arg2 = getelementptr ptr, ptr %argv, i64 2
  store ptr @option.m, ptr %arg2
  %arg3 = getelementptr ptr, ptr %argv, i64 3
  store ptr @program, ptr %arg3
  %arg4 = getelementptr ptr, ptr %argv, i64 4
  store ptr @chip.text, ptr %arg4
  %arg5 = getelementptr ptr, ptr %argv, i64 5
  store ptr null, ptr %arg5
  %a0 = call i32 @posix_spawn_file_actions_init(ptr %actions)
  %a1 = call i32 @posix_spawn_file_actions_adddup2(ptr %actions, i32 %fd, i32 3)
  %env = load ptr, ptr @environ
  %status = call i32 @posix_spawn(ptr %pid, ptr @python, ptr %actions, ptr null, ptr %argv, ptr %env)
  %a2 = call i32 @posix_spawn_file_actions_destroy(ptr %actions)
  %spawned = icmp eq i32 %status, 0
  br i1 %spawned, label %wait, label %done
wait:
  %number = load i32, ptr %pid
  %w = call i32 @waitpid(i32 %number, ptr null, i32 0)
  br label %done
done:
  %z = call i32 @close(i32 %fd)
  ret void
}

define internal void @fail(i64 %kind, i64 %code, i64 %address, i64 %size) {
  store i8 1, ptr @dead
  call void @tell(i64 %kind, i64 %code, i64 %address, i64 %size)
  %w = call i64 @write(i32 2, ptr @gone, i64 70)
  ret void
}

; End the chip, if there is one.
define internal void @stop() {
  %on = load i8, ptr @on
  %runs = icmp ne i8 %on, 0
  br i1 %runs, label %look, label %clean
look:
  %was.dead = load i8, ptr @dead
  %was.well = icmp eq i8 %was.dead, 0
  %due.at = call ptr @part(i64 {DUE_AT})
  %due = load i8, ptr %due.at
  %is.due = icmp ne i8 %due, 0
  %late = and i1 %was.well, %is.due
  br i1 %late, label %finish, label %ask
finish:
  call void @run(i1 false)
  br label %ask
ask:
  %dead = load i8, ptr @dead
  %well = icmp eq i8 %dead, 0
  %wanted = call ptr @getenv(ptr @report)
  %named = icmp ne ptr %wanted, null
  %both = and i1 %well, %named
  br i1 %both, label %say, label %free
say:
  call void @tell(i64 {REPORT_KIND}, i64 0, i64 0, i64 0)
  br label %free
free:
  call void @dismiss()
  %states = call i64 @states()
  %bytes = mul i64 %states, {STRIDE}
  %some = add i64 %bytes, 4096
  %t = load ptr, ptr @tile.memory
  %f0 = call i32 @munmap(ptr %t, i64 %some)
  %d = load ptr, ptr @dram.memory
  %f1 = call i32 @munmap(ptr %d, i64 {DRAM})
  %e = load ptr, ptr @ethernet.memory
  %f2 = call i32 @munmap(ptr %e, i64 {ETHERNET})
  %k = load ptr, ptr @code.memory
  %f3 = call i32 @munmap(ptr %k, i64 {CODES})
  br label %clean
clean:
  store i8 0, ptr @on
  store i8 0, ptr @dead
  ret void
}

; Move host memory to or from the stage, as the chip wishes: 0 if there is no host memory.
define internal i1 @move(i64 %code) {
  %reads = icmp eq i64 %code, {WANT_HOST_READ}
  %reader = load ptr, ptr @read_host
  %writer = load ptr, ptr @write_host
  %mover = select i1 %reads, ptr %reader, ptr %writer
  %can = icmp ne ptr %mover, null
  br i1 %can, label %go, label %no
go:
  %address.at = call ptr @part(i64 {HOST_ADDRESS_AT})
  %address = load i64, ptr %address.at
  %count.at = call ptr @part(i64 {HOST_COUNT_AT})
  %count = load i32, ptr %count.at
  %stage = call ptr @part(i64 {STAGE_AT})
  call void %mover(i64 %address, ptr %stage, i32 %count)
  %done.at = call ptr @part(i64 {HOST_DONE_AT})
  store i8 1, ptr %done.at
  ret i1 true
no:
  %problem.at = call ptr @part(i64 {PROBLEM_AT})
  store i32 {NO_HOST}, ptr %problem.at
  ret i1 false
}

; Let the chip run until nothing on it can change, or for as long as one clock lasts; in step with
; its host, for one clock.
define internal void @run(i1 %in.step) {
  %c = call ptr @c()
  br i1 %in.step, label %again, label %start
start:
  %due.at = call ptr @part(i64 {DUE_AT})
  store i8 0, ptr %due.at
  %s = call i64 @start_run(ptr %c, i64 {AHEAD})
  br label %again
again:
  br i1 %in.step, label %one, label %many
one:
  %code.one = call i64 @pass_clock(ptr %c)
  br label %look
many:
  %what = call i64 @wanted(ptr %c)
  switch i64 %what, label %settle [ i64 {END}, label %done  i64 {RUN}, label %run ]
run:
  call void @run_tiles()
  br label %settle
settle:
  %code.many = call i64 @settle(ptr %c)
  %settled = icmp eq i64 %code.many, 0
  br i1 %settled, label %again, label %look
look:
  %code = phi i64 [ %code.one, %one ], [ %code.many, %settle ]
  switch i64 %code, label %wrong [ i64 0, label %done
                                   i64 {WANT_HOST_READ}, label %host  i64 {WANT_HOST_WRITE}, label %host ]
host:
  %moved = call i1 @move(i64 %code)
  br i1 %moved, label %again, label %wrong
wrong:
  %why = phi i64 [ %code, %look ], [ {PROBLEM}, %host ]
  %problem.at = call ptr @part(i64 {PROBLEM_AT})
  %problem = load i32, ptr %problem.at
  %says = icmp eq i64 %why, {PROBLEM}
  %early = icmp eq i32 %problem, {EARLY}
  %goes.on = and i1 %says, %early
  br i1 %goes.on, label %past, label %ends
past:
  call void @tell(i64 {RUN_KIND}, i64 %why, i64 0, i64 0)
  %g = call i64 @go_past(ptr %c)
  br label %again
ends:
  call void @fail(i64 {RUN_KIND}, i64 %why, i64 0, i64 0)
  br label %done
done:
  ret void
}

; Whether the chip is in step with its host.
define internal i1 @steps() {
  %at = call ptr @part(i64 {IN_STEP_AT})
  %flag = load i8, ptr %at
  %in.step = icmp ne i8 %flag, 0
  ret i1 %in.step
}

; In step, let so many clocks pass.
define internal void @pass(i32 %count) {
  %some = icmp ne i32 %count, 0
  br i1 %some, label %next, label %done
next:
  %left = phi i32 [ %count, %0 ], [ %rest, %next ]
  call void @run(i1 true)
  %dead = load i8, ptr @dead
  %well = icmp eq i8 %dead, 0
  %rest = sub i32 %left, 1
  %more = icmp ne i32 %rest, 0
  %both = and i1 %well, %more
  br i1 %both, label %next, label %done
done:
  ret void
}

; Count the clocks in a row in which nothing can change; when they are many, have it said who waits.
define internal void @count_idle() {
  %at = call ptr @part(i64 {AWAKE_AT})
  %awake = load i32, ptr %at
  %asleep = icmp eq i32 %awake, 0
  %idle = load i32, ptr @idle
  %more = add i32 %idle, 1
  %now = select i1 %asleep, i32 %more, i32 0
  store i32 %now, ptr @idle
  %too.long = icmp eq i32 %now, {PATIENCE}
  br i1 %too.long, label %say, label %done
say:
  call void @tell(i64 {STUCK_KIND}, i64 0, i64 0, i64 0)
  br label %done
done:
  ret void
}

; Read or write one part of an access: place -1 is an address of the host.
define internal i1 @access(i1 %writes, i64 %place, i64 %address, i64 %count) {
  %c = call ptr @c()
  br label %again
again:
  %pci = icmp eq i64 %place, -1
  br i1 %pci, label %bar, label %tile
bar:
  br i1 %writes, label %bar.write, label %bar.read
bar.write:
  %r0 = call i64 @pci_write(ptr %c, i64 %address, i64 %count)
  br label %look
bar.read:
  %r1 = call i64 @pci_read(ptr %c, i64 %address, i64 %count)
  br label %look
tile:
  br i1 %writes, label %tile.write, label %tile.read
tile.write:
  %r2 = call i64 @write_place(ptr %c, i64 %place, i64 %address, i64 %count)
  br label %look
tile.read:
  %r3 = call i64 @host_read(ptr %c, i64 %place, i64 %address, i64 %count)
  br label %look
look:
  %code = phi i64 [ %r0, %bar.write ], [ %r1, %bar.read ], [ %r2, %tile.write ], [ %r3, %tile.read ]
  switch i64 %code, label %wrong [ i64 0, label %fine  i64 {WANT_HOST_READ}, label %host
                                   i64 {WANT_HOST_WRITE}, label %host  i64 {WANT_RUN}, label %run ]
run:
  call void @run(i1 false)
  %dead = load i8, ptr @dead
  %gone = icmp ne i8 %dead, 0
  br i1 %gone, label %lost, label %again
lost:
  ret i1 false
host:
  %moved = call i1 @move(i64 %code)
  br i1 %moved, label %again, label %wrong
fine:
  ret i1 true
wrong:
  %kind = select i1 %writes, i64 {WRITE_KIND}, i64 {READ_KIND}
  call void @fail(i64 %kind, i64 %place, i64 %address, i64 %count)
  ret i1 false
}

; A whole read or write of the host, in parts that fit the stage.
define internal void @transfer(i1 %writes, i64 %place, i64 %address, ptr %data, i32 %size) {
entry:
  %l = call i32 @pthread_mutex_lock(ptr @lock)
  store i8 1, ptr @touched
  %bytes = zext i32 %size to i64
  %stage = call ptr @part(i64 {STAGE_AT})
  %empty = icmp eq i32 %size, 0
  br i1 %empty, label %nothing, label %loop
nothing:
  call void @refuse(ptr @nothing, i64 42)
  br label %end
loop:
  %done = phi i64 [ 0, %entry ], [ %after, %step ]
  %left = sub i64 %bytes, %done
  %none = icmp eq i64 %left, 0
  br i1 %none, label %end, label %try
try:
  %at = getelementptr i8, ptr %data, i64 %done
  %ready = call i1 @ready()
  br i1 %ready, label %part, label %ones
part:
  %short = icmp ult i64 %left, {STAGE}
  %count = select i1 %short, i64 %left, i64 {STAGE}
  br i1 %writes, label %fill, label %go
fill:
  %m0 = call ptr @memcpy(ptr %stage, ptr %at, i64 %count)
  br label %go
go:
  %where = add i64 %address, %done
  %fine = call i1 @access(i1 %writes, i64 %place, i64 %where, i64 %count)
  br i1 %fine, label %take, label %ones
take:
  br i1 %writes, label %step, label %copy
copy:
  %m1 = call ptr @memcpy(ptr %at, ptr %stage, i64 %count)
  br label %step
step:
  %after = add i64 %done, %count
  br label %loop
ones:
  br i1 %writes, label %end, label %fill.ones
fill.ones:
  %m2 = call ptr @memset(ptr %at, i32 255, i64 %left)
  br label %end
end:
  %u = call i32 @pthread_mutex_unlock(ptr @lock)
  ret void
}

define void @libttsim_init() {
  %l = call i32 @pthread_mutex_lock(ptr @lock)
  %begun = load i8, ptr @begun
  %open = icmp ne i8 %begun, 0
  br i1 %open, label %again, label %begin
again:
  call void @refuse(ptr @again, i64 80)
  br label %done
begin:
  store i8 0, ptr @dead
  store i8 1, ptr @begun
  br label %done
done:
  %u = call i32 @pthread_mutex_unlock(ptr @lock)
  ret void
}

define void @libttsim_exit() {
  %l = call i32 @pthread_mutex_lock(ptr @lock)
  %begun = load i8, ptr @begun
  %open = icmp ne i8 %begun, 0
  br i1 %open, label %end, label %outside
outside:
  call void @refuse(ptr @outside, i64 77)
  br label %done
end:
  call void @stop()
  store i8 0, ptr @begun
  br label %done
done:
  %u = call i32 @pthread_mutex_unlock(ptr @lock)
  ret void
}

; The chip runs when the host reads what that may change, or lets time pass twice in a row: so all
; tiles that it starts one by one run side by side.
define void @libttsim_clock(i32 %count) {
  %l = call i32 @pthread_mutex_lock(ptr @lock)
  %ready = call i1 @ready()
  br i1 %ready, label %which, label %done
which:
  %in.step = call i1 @steps()
  br i1 %in.step, label %step, label %look
step:
  call void @pass(i32 %count)
  br label %done
look:
  call void @count_idle()
  %due.at = call ptr @part(i64 {DUE_AT})
  %due = load i8, ptr %due.at
  %touched = load i8, ptr @touched
  %is.due = icmp ne i8 %due, 0
  %untouched = icmp eq i8 %touched, 0
  %now = and i1 %is.due, %untouched
  store i8 0, ptr @touched
  br i1 %now, label %go, label %later
later:
  store i8 1, ptr %due.at
  br label %done
go:
  call void @run(i1 false)
  br label %done
done:
  %u = call i32 @pthread_mutex_unlock(ptr @lock)
  ret void
}

define void @libttsim_pci_mem_rd_bytes(i64 %address, ptr %data, i32 %size) {
  call void @transfer(i1 false, i64 -1, i64 %address, ptr %data, i32 %size)
  ret void
}

define void @libttsim_pci_mem_wr_bytes(i64 %address, ptr %data, i32 %size) {
  call void @transfer(i1 true, i64 -1, i64 %address, ptr %data, i32 %size)
  ret void
}

define internal i64 @place(i32 %x, i32 %y) {
  %x.low = and i32 %x, 63
  %y.low = and i32 %y, 63
  %y.up = shl i32 %y.low, 6
  %at = or i32 %x.low, %y.up
  %place = zext i32 %at to i64
  ret i64 %place
}

define void @libttsim_tile_rd_bytes(i32 %x, i32 %y, i64 %address, ptr %data, i32 %size) {
  %place = call i64 @place(i32 %x, i32 %y)
  call void @transfer(i1 false, i64 %place, i64 %address, ptr %data, i32 %size)
  ret void
}

define void @libttsim_tile_wr_bytes(i32 %x, i32 %y, i64 %address, ptr %data, i32 %size) {
  %place = call i64 @place(i32 %x, i32 %y)
  call void @transfer(i1 true, i64 %place, i64 %address, ptr %data, i32 %size)
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
  %low = and i32 %offset, 3
  %whole = icmp eq i32 %low, 0
  br i1 %whole, label %words, label %odd
odd:
  call void @refuse(ptr @odd, i64 82)
  br label %none
words:
  switch i32 %offset, label %none [ {CASES} ]
{RETURNS}
none:
  ret i32 -1
}
