; Tiles run on several of the host's processors. A phase is one call of run_tile for every tile: the
; calling thread and its helpers each take the next tile that nobody has taken, until all have been
; run. What a phase leaves does not depend on who ran what: turns.py says why. A helper that finds
; nothing to do looks again for a while, then sleeps until the next phase. Signals are not for helpers.
; {NAMES} are filled in for each chip.

@threads.name = private constant [{THREADS_SIZE} x i8] c"{THREADS}\00"

@next = internal global i64 -1, align 64     ; the first tile that nobody has taken
@finished = internal global i64 0, align 64  ; how many tiles have been run in this phase
@phase = internal global i32 0, align 64     ; its number: what helpers sleep on
@asleep = internal global i32 0, align 64    ; how many do
@ending = internal global i8 0, align 1
@helpers = internal global i32 -1            ; how many there are; -1: it has not been decided
@helper = internal global [{MOST_HELPERS} x i64] zeroinitializer

declare i32 @pthread_create(ptr, ptr, ptr, ptr) nonlazybind
declare i32 @pthread_join(i64, ptr) nonlazybind
declare i32 @pthread_sigmask(i32, ptr, ptr) nonlazybind
declare i32 @sched_yield() nonlazybind
declare i32 @sched_getaffinity(i32, i64, ptr) nonlazybind
declare i64 @strtol(ptr, ptr, i32) nonlazybind
declare i64 @syscall(i64, ptr, i64, i64, i64) nonlazybind
declare void @llvm.x86.sse2.pause()
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)

; Take a tile and run it, as the thread of this number: 0 if all are taken.
define internal i1 @take(i64 %thread) {
  %tiles = call i64 @states()
  %seen = load atomic i64, ptr @next seq_cst, align 8
  %left = icmp ult i64 %seen, %tiles
  br i1 %left, label %try, label %none
try:
  %i = atomicrmw add ptr @next, i64 1 seq_cst
  %taken = icmp ult i64 %i, %tiles
  br i1 %taken, label %go, label %none
go:
  call void @lend(i64 %thread, i64 %i)
  %c = call ptr @c()
  %r = call i64 @run_tile(ptr %c, i64 %i)
  %n = atomicrmw add ptr @finished, i64 1 seq_cst
  ret i1 true
none:
  ret i1 false
}

define internal ptr @help(ptr %number.given) {
start:
  %thread = ptrtoint ptr %number.given to i64
  %signals = alloca [128 x i8], align 16
  %f = call ptr @memset(ptr %signals, i32 255, i64 128)
  %m = call i32 @pthread_sigmask(i32 2, ptr %signals, ptr null)  ; SIG_SETMASK
  br label %look
look:
  %looked = phi i64 [ 0, %start ], [ %count, %next.look ]
  %number = load atomic i32, ptr @phase seq_cst, align 4
  %ran = call i1 @take(i64 %thread)
  %more = add i64 %looked, 1
  %count = select i1 %ran, i64 0, i64 %more
  br i1 %ran, label %next.look, label %idle
idle:
  %ending = load atomic i8, ptr @ending seq_cst, align 1
  %ends = icmp ne i8 %ending, 0
  br i1 %ends, label %end, label %rest
rest:
  call void @llvm.x86.sse2.pause()
  %long = icmp ugt i64 %count, {LOOKS}
  br i1 %long, label %sleep, label %next.look
sleep:
  %before = atomicrmw add ptr @asleep, i32 1 seq_cst
  %expected = zext i32 %number to i64
  %s = call i64 @syscall(i64 202, ptr @phase, i64 128, i64 %expected, i64 0)  ; futex: WAIT | PRIVATE
  %after = atomicrmw sub ptr @asleep, i32 1 seq_cst
  br label %next.look
next.look:
  br label %look
end:
  ret ptr null
}

; Wake all helpers that sleep.
define internal void @rouse() {
  %p = atomicrmw add ptr @phase, i32 1 seq_cst
  %n = load atomic i32, ptr @asleep seq_cst, align 4
  %some = icmp ne i32 %n, 0
  br i1 %some, label %wake, label %done
wake:
  %s = call i64 @syscall(i64 202, ptr @phase, i64 129, i64 2147483647, i64 0)  ; futex: WAKE | PRIVATE
  br label %done
done:
  ret void
}

; Have as many helpers as there are processors for them, and tiles, or as the environment says.
define internal void @hire() {
  %processors = alloca [128 x i8], align 16
  %z = call ptr @memset(ptr %processors, i32 0, i64 128)
  %named = call ptr @getenv(ptr @threads.name)
  %is.named = icmp ne ptr %named, null
  br i1 %is.named, label %read, label %count
read:
  %said = call i64 @strtol(ptr %named, ptr null, i32 10)
  br label %choose
count:
  %a = call i32 @sched_getaffinity(i32 0, i64 128, ptr %processors)
  br label %add
add:
  %i = phi i64 [ 0, %count ], [ %i.next, %add ]
  %sum = phi i64 [ 0, %count ], [ %sum.next, %add ]
  %at = getelementptr i64, ptr %processors, i64 %i
  %bits = load i64, ptr %at
  %ones = call i64 @llvm.ctpop.i64(i64 %bits)
  %sum.next = add i64 %sum, %ones
  %i.next = add i64 %i, 1
  %all = icmp eq i64 %i.next, 16
  br i1 %all, label %choose, label %add
choose:
  %threads = phi i64 [ %said, %read ], [ %sum.next, %add ]
  %tiles = call i64 @states()
  %useful = call i64 @llvm.smin.i64(i64 %threads, i64 %tiles)
  %others = sub i64 %useful, 1
  %few = call i64 @llvm.smin.i64(i64 %others, i64 {MOST_HELPERS})
  %wanted = call i64 @llvm.smax.i64(i64 %few, i64 0)
  br label %next.one
next.one:
  %k = phi i64 [ 0, %choose ], [ %k.next, %started ]
  %enough = icmp eq i64 %k, %wanted
  br i1 %enough, label %done, label %start
start:
  %name = getelementptr i64, ptr @helper, i64 %k
  %k.next = add i64 %k, 1
  %number = inttoptr i64 %k.next to ptr  ; the calling thread is number 0
  %failed = call i32 @pthread_create(ptr %name, ptr null, ptr @help, ptr %number)
  %fine = icmp eq i32 %failed, 0
  br i1 %fine, label %started, label %done
started:
  br label %next.one
done:
  %k32 = trunc i64 %k to i32
  store i32 %k32, ptr @helpers
  ret void
}

; Send all helpers away.
define internal void @dismiss() {
  %n32 = load i32, ptr @helpers
  %some = icmp sgt i32 %n32, 0
  br i1 %some, label %go, label %done
go:
  %n = zext i32 %n32 to i64
  store atomic i8 1, ptr @ending seq_cst, align 1
  call void @rouse()
  br label %next.one
next.one:
  %k = phi i64 [ 0, %go ], [ %k.next, %join ]
  %all = icmp eq i64 %k, %n
  br i1 %all, label %joined, label %join
join:
  %at = getelementptr i64, ptr @helper, i64 %k
  %name = load i64, ptr %at
  %j = call i32 @pthread_join(i64 %name, ptr null)
  %k.next = add i64 %k, 1
  br label %next.one
joined:
  store atomic i8 0, ptr @ending seq_cst, align 1
  br label %done
done:
  store i32 -1, ptr @helpers
  ret void
}

; One phase: every tile is run that can.
define internal void @run_tiles() {
  %tiles = call i64 @states()
  %awake.at = call ptr @part(i64 {AWAKE_AT})
  %awake = load i32, ptr %awake.at
  %several = icmp ugt i32 %awake, 1
  %n = load i32, ptr @helpers
  %undecided = icmp slt i32 %n, 0
  %hires = and i1 %several, %undecided
  br i1 %hires, label %hire, label %decide
hire:
  call void @hire()
  br label %decide
decide:
  %helpers = load i32, ptr @helpers
  %some = icmp sgt i32 %helpers, 0
  %together = and i1 %several, %some
  br i1 %together, label %share, label %alone
alone:
  %i = phi i64 [ 0, %decide ], [ %i.next, %run ]
  %more = icmp ult i64 %i, %tiles
  br i1 %more, label %run, label %done
run:
  call void @lend(i64 0, i64 %i)
  %c = call ptr @c()
  %r = call i64 @run_tile(ptr %c, i64 %i)
  %i.next = add i64 %i, 1
  br label %alone
share:
  store atomic i64 0, ptr @finished seq_cst, align 8
  store atomic i64 0, ptr @next seq_cst, align 8
  call void @rouse()
  br label %work
work:
  %ran = call i1 @take(i64 0)
  br i1 %ran, label %work, label %wait
wait:
  %looked = phi i64 [ 0, %work ], [ %looks, %again ]
  %finished = load atomic i64, ptr @finished seq_cst, align 8
  %all = icmp eq i64 %finished, %tiles
  br i1 %all, label %done, label %rest
rest:
  call void @llvm.x86.sse2.pause()
  %looks = add i64 %looked, 1
  %long = icmp ugt i64 %looks, {LOOKS}
  br i1 %long, label %yield, label %again
yield:
  %y = call i32 @sched_yield()
  br label %again
again:
  br label %wait
done:
  ret void
}
