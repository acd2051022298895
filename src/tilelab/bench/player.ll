; Plays a host's accesses to a libttsim.so, with as little between them as can be.
; An event is { kind, address, size, data }: kind 0 writes, 1 reads once, 2 reads until the data
; come, 3 does so at the host's side, where reads let no time pass by themselves. Returns the number
; of the first event whose data do not come, or -1.

%event = type { i64, i64, i64, ptr }

declare i32 @memcmp(ptr, ptr, i64)

@buffer = internal global [65536 x i8] zeroinitializer, align 16

define i64 @play(ptr %read, ptr %write, ptr %clock, ptr %events, i64 %count, i64 %patience) {
entry:
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %i.after, %step ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %look, label %end
look:
  %at = getelementptr %event, ptr %events, i64 %i
  %kind = load i64, ptr %at
  %address.at = getelementptr %event, ptr %at, i64 0, i32 1
  %address = load i64, ptr %address.at
  %size.at = getelementptr %event, ptr %at, i64 0, i32 2
  %size = load i64, ptr %size.at
  %size32 = trunc i64 %size to i32
  %data.at = getelementptr %event, ptr %at, i64 0, i32 3
  %data = load ptr, ptr %data.at
  %writes = icmp eq i64 %kind, 0
  br i1 %writes, label %put, label %poll
put:
  call void %write(i64 %address, ptr %data, i32 %size32)
  br label %step
poll:
  %tries = phi i64 [ 0, %look ], [ %tries.after, %again ]
  call void %read(i64 %address, ptr @buffer, i32 %size32)
  %aside = icmp eq i64 %kind, 3
  br i1 %aside, label %compare, label %pass
pass:
  call void %clock(i32 1)
  br label %compare
compare:
  %differs = call i32 @memcmp(ptr @buffer, ptr %data, i64 %size)
  %same = icmp eq i32 %differs, 0
  br i1 %same, label %step, label %other
other:
  %once = icmp eq i64 %kind, 1
  %enough = icmp uge i64 %tries, %patience
  %fails = or i1 %once, %enough
  br i1 %fails, label %wrong, label %again
again:
  %tries.after = add i64 %tries, 1
  call void %clock(i32 1)
  br label %poll
step:
  %i.after = add i64 %i, 1
  br label %next
wrong:
  ret i64 %i
end:
  ret i64 -1
}
