"""A rung's tile for AVX-512, run on an emulated Ice Lake: Bochs (Debian packages bochs, bochsbios, vgabios), gcc and ld.

There is no operating system: the tile, a little C that calls it and its numbers are linked into a disk image that the
emulated machine boots. Its answer is what it writes to the port that Bochs prints. `BOCHS` may name a folder with the unpacked packages.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import threading
import time
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np

from armillary.scan.kernels.microkernel import Dot, module_text

HERE = Path(__file__).parent
ROOT = Path(os.environ.get("BOCHS", "/"))
_CYLINDERS, _SECTOR, _CHUNK = 20, 512, 64
_LINK = """SECTIONS { . = 0x10000; .text : { *(.text.start) *(.text*) } .rodata : { *(.rodata*) }
.data : { *(.data*) *(.bss*) *(COMMON) } /DISCARD/ : { *(.eh_frame*) *(.comment*) *(.note*) } }"""
_FLAGS = ["-O1", "-ffreestanding", "-fno-pic", "-mno-red-zone", "-fno-stack-protector", "-fcf-protection=none"]
_MACHINE = """megs: 64
cpu: model=corei7_icelake_u, count=1, ips=100000000
romimage: file={root}/usr/share/bochs/BIOS-bochs-legacy
vgaromimage: file={root}/usr/share/bochs/VGABIOS-lgpl-latest
ata0-master: type=disk, path={folder}/disk.img, mode=flat, cylinders={cylinders}, heads=16, spt=63
boot: disk
port_e9_hack: enabled=1
display_library: rfb, options="timeout=30"
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
clock: sync=none
log: {folder}/bochs.log
panic: action=fatal
"""


def missing() -> str:
    """What is not installed here; empty if the emulator can run."""
    absent = [tool for tool in ("gcc", "ld", "objcopy") if shutil.which(tool) is None]
    needed = ("usr/bin/bochs-bin", "usr/share/bochs/BIOS-bochs-legacy", "usr/share/bochs/VGABIOS-lgpl-latest")
    return ", ".join(absent + [name for name in needed if not (ROOT / name).exists()])


def run_tile(folder: Path, dot: Dot, numbers: dict[str, np.ndarray], constants: dict[str, object]) -> list[bytes]:
    """[sums of a tile, what it returned, its masks] from an emulated processor.

    `numbers` are the arrays of `payload.c`, `constants` its other names.
    """
    (folder / "tile.o").write_bytes(_object(dot))
    _lay_out(folder, numbers, constants)
    _link(folder)
    (folder / "bochsrc").write_text(_MACHINE.format(root=ROOT, folder=folder, cylinders=_CYLINDERS))
    libraries = ROOT / "usr/lib/x86_64-linux-gnu"
    paths = {
        "LD_LIBRARY_PATH": f"{libraries}:{libraries}/bochs/plugins",
        "LTDL_LIBRARY_PATH": f"{libraries}/bochs/plugins",
    }
    threading.Thread(target=_watch, daemon=True).start()
    command = [str(ROOT / "usr/bin/bochs-bin"), "-q", "-f", str(folder / "bochsrc")]
    environment = {**os.environ, **paths, "BXSHARE": str(ROOT / "usr/share/bochs")}
    done = subprocess.run(command, input=b"c\nq\n", env=environment, capture_output=True, timeout=300, check=False)
    return [bytes.fromhex(line) for line in re.findall(r"^[0-9a-f]{16,}$", done.stdout.decode("latin-1"), re.M)]


def _object(dot: Dot) -> bytes:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple("x86_64-unknown-none-elf")
    machine = target.create_target_machine(cpu="icelake-server", opt=3, reloc="static", codemodel="small")
    module = llvm.parse_assembly(module_text(dot))
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    builder.getModulePassManager().run(module, builder)
    return machine.emit_object(module)


def _lay_out(folder: Path, numbers: dict[str, np.ndarray], constants: dict[str, object]) -> None:
    blob, lines = b"", [f"#define {name} {value}" for name, value in constants.items()]
    for name, values in numbers.items():
        blob += b"\0" * (-len(blob) % 64)
        lines.append(f"#define {name} {len(blob)}")
        blob += np.ascontiguousarray(values).tobytes()
    (folder / "layout.h").write_text("\n".join(lines) + "\n")
    (folder / "data.bin").write_bytes(blob)
    (folder / "data.S").write_text('.section .rodata\n.globl data\n.align 64\ndata: .incbin "data.bin"\n')


def _link(folder: Path) -> None:
    def run(*command: str) -> None:
        subprocess.run(command, check=True, cwd=folder, capture_output=True)

    (folder / "link.ld").write_text(_LINK)
    run("gcc", "-c", *_FLAGS, "-I.", str(HERE / "payload.c"), "-o", "payload.o")
    run("gcc", "-c", "data.S", "-o", "data.o")
    run("ld", "-T", "link.ld", "payload.o", "tile.o", "data.o", "-o", "payload.elf")
    run("objcopy", "-O", "binary", "payload.elf", "payload.bin")
    payload = (folder / "payload.bin").read_bytes()
    sectors = -(-len(payload) // (_SECTOR * _CHUNK)) * _CHUNK
    assert sectors * _SECTOR < 0x70000  # below the stack
    run("gcc", "-c", f"-DSECTORS={sectors}", str(HERE / "boot.S"), "-o", "boot.o")
    run("ld", "-Ttext", "0x7c00", "--oformat", "binary", "-e", "_start", "boot.o", "-o", "boot.bin")
    image = (folder / "boot.bin").read_bytes() + payload
    (folder / "disk.img").write_bytes(image.ljust(_CYLINDERS * 16 * 63 * _SECTOR, b"\0"))


def _watch() -> None:
    """The one who looks at the emulated screen, without whom Bochs does not start."""
    for _ in range(200):
        for port in range(5900, 5906):
            try:
                with socket.create_connection(("127.0.0.1", port), 1) as screen:
                    screen.recv(12)
                    screen.sendall(b"RFB 003.003\n")
                    screen.recv(4)
                    screen.sendall(b"\1")
                    while screen.recv(1 << 16):
                        pass
                    return
            except OSError:
                continue
        time.sleep(0.2)
