"""`held.py HOME PROGRAM…` runs a program in the folder HOME for as long as somebody holds standard input open.

Whoever starts a server this way need not live to stop it: when it dies, the pipe closes, and the server and all that
it started are killed with this process's group. HOME is removed: it was made for this run.
"""
import os
import shutil
import signal
import subprocess
import sys
import threading

os.setpgrp()
home, *program = sys.argv[1:]
child = subprocess.Popen(program, cwd=home, stdin=subprocess.DEVNULL)
ending = threading.Lock()


def end() -> None:
    ending.acquire()  # and never released: the other thread waits here for its end
    child.kill()
    child.wait()
    shutil.rmtree(home, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


def kill_when_let_go() -> None:
    while sys.stdin.buffer.read(1):
        pass
    end()


threading.Thread(target=kill_when_let_go, daemon=True).start()
child.wait()
end()
