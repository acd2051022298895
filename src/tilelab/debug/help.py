"""What the debugger's commands are called for short, and what its help says."""

from typing import Final

from tilelab.debug.breakpoints import offered_catches

ALIASES: Final = {
    "c": "continue",
    "rc": "reverse-continue",
    "s": "step",
    "n": "next",
    "rs": "reverse-step",
    "rn": "reverse-next",
    "si": "stepi",
    "rsi": "reverse-stepi",
    "b": "break",
    "p": "print",
    "x": "examine",
    "bt": "backtrace",
    "where": "backtrace",
    "l": "list",
    "i": "info",
    "q": "quit",
    "exit": "quit",
    "d": "delete",
    "fin": "finish",
    "h": "help",
    "EOF": "quit",
}
HELP: Final = f"""\
running       continue, step, next, stepi [N]: to a breakpoint, by line, author's line, instruction
              finish: until the function returns
              stepw [N], stepp [N], stepc [N]: by issued word, pushed word, cycle
              each has reverse- before it too: reverse-continue, reverse-step ...; goto CYCLE
stopping      break FUNCTION|FILE:LINE|*ADDRESS [if VALUE == VALUE]
              watch PLACE [if ...]; delete N; disable N; enable N
              catch {offered_catches()} [thread N] [if ...]
looking       print VALUE, examine ADDRESS [WORDS], list, disassemble [ADDRESS [COUNT]]
              backtrace, frame N, info locals|breakpoints|cores|threads|registers|history
              last-write PLACE; mark [NAME], diff [NAME]
choosing      core trisc0|trisc1|trisc2|brisc; thread N
changing      set PLACE = NUMBER (what came after this moment is forgotten)
A PLACE is a part of the state: dst[3], lreg[2], semaphore[1].value, config[0, 12], l1[0x21000:64].
A VALUE is a place, a number, clock, or a register of the chosen core: $pc, $a0, $x10.
print takes a variable of the program too."""
