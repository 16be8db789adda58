"""What differs between the machines that run the kernels: how threads work together, and what their memory is called.

Threads come in groups that execute together: 32 lanes of a warp on a GPU, one thread alone on the host."""

from __future__ import annotations

from mule.records import Record


class Target(Record, frozen=True):
    lanes: int
    """Threads of a group."""
    memory: str
    """The type of a pointer to what all threads share."""
    scope: str
    """Who sees an atomic instruction, where it is not everybody."""
    linkage: str
    """What stands before the result of a kernel."""
    look: str
    """How to read a byte that only ever changes from 0 to 1, when it does not matter whether that is seen at once."""
    wide: str
    """How to read two words at once; empty: there is no way, and no way to exchange them either."""
    functions: str
    """`lane`, `broadcast` (what the first lane has), `sum` and `before` (the sum over earlier lanes); `meet`, where all
    of a crew wait for each other, and which is true for one of them; `pause` for who waits otherwise;
    `keep_order`: of two threads that both write, come here and then read what the other writes, one sees it."""


_ALONE = """define internal i32 @lane() alwaysinline { ret i32 0 }
define internal i32 @broadcast(i32 %value) alwaysinline { ret i32 %value }
define internal i32 @sum(i32 %value) alwaysinline { ret i32 %value }
define internal i32 @before(i32 %value) alwaysinline { ret i32 0 }
define internal void @keep_order() alwaysinline {
  fence seq_cst
  ret void
}
declare i32 @sched_yield()
define internal void @pause() alwaysinline {
  %ignored = call i32 @sched_yield()
  ret void
}
define internal i1 @meet(ptr %meeting, i32 %crew) {
entry:
  %place = getelementptr i64, ptr %meeting, i64 1
  %round = load atomic i64, ptr %place acquire, align 8
  %earlier = atomicrmw add ptr %meeting, i64 1 acq_rel
  %others = sub i32 %crew, 1
  %wanted = zext i32 %others to i64
  %last = icmp eq i64 %earlier, %wanted
  br i1 %last, label %open, label %wait
open:
  store atomic i64 0, ptr %meeting monotonic, align 8
  %ignored = atomicrmw add ptr %place, i64 1 release
  ret i1 true
wait:
  call void @pause()
  %now = load atomic i64, ptr %place acquire, align 8
  %same = icmp eq i64 %now, %round
  br i1 %same, label %wait, label %done
done:
  ret i1 false
}"""

_WIDE_ON_HOST = """define internal i128 @load_wide(ptr %place) alwaysinline {
  %value = load atomic i128, ptr %place monotonic, align 16
  ret i128 %value
}"""

_WIDE_ON_DEVICE = """define internal i128 @load_wide(ptr addrspace(1) %place) alwaysinline {
  %both = call { i64, i64 } asm sideeffect "{ .reg .b128 v; ld.relaxed.gpu.global.b128 v, [$2]; mov.b128 {$0, $1}, v; }", "=l,=l,l,~{memory}"(ptr addrspace(1) %place)
  %low = extractvalue { i64, i64 } %both, 0
  %high = extractvalue { i64, i64 } %both, 1
  %low.wide = zext i64 %low to i128
  %high.wide = zext i64 %high to i128
  %shifted = shl i128 %high.wide, 64
  %value = or i128 %shifted, %low.wide
  ret i128 %value
}"""  # noqa: E501


def _step_of_before(distance: int, name: str) -> str:
    arguments = f"i32 -1, i32 {name}, i32 {distance}, i32 0"
    return f"""  %pair{distance} = call {{ i32, i1 }} @llvm.nvvm.shfl.sync.up.i32p({arguments})
  %there{distance} = extractvalue {{ i32, i1 }} %pair{distance}, 0
  %inside{distance} = extractvalue {{ i32, i1 }} %pair{distance}, 1
  %more{distance} = select i1 %inside{distance}, i32 %there{distance}, i32 0
  %to{distance} = add i32 {name}, %more{distance}"""


_WARP = f"""declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32) convergent
declare {{ i32, i1 }} @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32) convergent
declare i32 @llvm.nvvm.redux.sync.add(i32, i32) convergent
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare void @llvm.nvvm.barrier0() convergent
declare void @llvm.nvvm.membar.gl()

define internal void @keep_order() alwaysinline {{
  call void @llvm.nvvm.membar.gl()
  ret void
}}
define internal void @pause() alwaysinline {{ ret void }}
define internal i1 @meet(ptr addrspace(1) %meeting, i32 %crew) noinline convergent {{
entry:
  call void @llvm.nvvm.barrier0()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %speaks = icmp eq i32 %thread, 0
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %alone = icmp eq i32 %blocks, 1
  br i1 %alone, label %done, label %several
several:
  br i1 %speaks, label %arrive, label %together
arrive:
  %place = getelementptr i64, ptr addrspace(1) %meeting, i64 1
  %round = load atomic i64, ptr addrspace(1) %place syncscope("device") monotonic, align 8
  call void @llvm.nvvm.membar.gl()
  %earlier = atomicrmw add ptr addrspace(1) %meeting, i64 1 syncscope("device") monotonic
  %others = sub i32 %blocks, 1
  %wanted = zext i32 %others to i64
  %last = icmp eq i64 %earlier, %wanted
  br i1 %last, label %open, label %wait
open:
  store atomic i64 0, ptr addrspace(1) %meeting syncscope("device") monotonic, align 8
  call void @llvm.nvvm.membar.gl()
  %ignored = atomicrmw add ptr addrspace(1) %place, i64 1 syncscope("device") monotonic
  br label %opened
wait:
  %now = load atomic i64, ptr addrspace(1) %place syncscope("device") monotonic, align 8
  %same = icmp eq i64 %now, %round
  br i1 %same, label %wait, label %opened
opened:
  call void @llvm.nvvm.membar.gl()
  br label %together
together:
  call void @llvm.nvvm.barrier0()
  br label %done
done:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first.block = icmp eq i32 %block, 0
  %one = and i1 %speaks, %first.block
  ret i1 %one
}}

define internal i32 @lane() alwaysinline {{
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  ret i32 %lane
}}
define internal i32 @broadcast(i32 %value) alwaysinline convergent {{
  %first = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %value, i32 0, i32 31)
  ret i32 %first
}}
define internal i32 @sum(i32 %value) alwaysinline convergent {{
  %total = call i32 @llvm.nvvm.redux.sync.add(i32 %value, i32 -1)
  ret i32 %total
}}
define internal i32 @before(i32 %value) alwaysinline convergent {{
{_step_of_before(1, "%value")}
{_step_of_before(2, "%to1")}
{_step_of_before(4, "%to2")}
{_step_of_before(8, "%to4")}
{_step_of_before(16, "%to8")}
  %before = sub i32 %to16, %value
  ret i32 %before
}}"""

HOST = Target(1, "ptr", "", "void", "load atomic i8, ptr {} unordered, align 1", _WIDE_ON_HOST, _ALONE)
DEVICE = Target(
    32,
    "ptr addrspace(1)",
    'syncscope("device") ',
    "ptx_kernel void",
    "load i8, ptr addrspace(1) {}, align 1",
    _WIDE_ON_DEVICE,
    _WARP,
)
