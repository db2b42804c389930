"""A Spark cluster on this machine: a master and two workers, each a process of its own, as `start-master.sh` and
`start-worker.sh` would start them (pip's Spark comes without these)."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

import pyspark

HOST = "127.0.0.1"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


class Cluster:
    """Started on entering, stopped on leaving."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.master = f"spark://{HOST}:{self.port}"
        self.environment = {
            **os.environ,
            "SPARK_HOME": os.path.dirname(pyspark.__file__),
            "SPARK_LOCAL_IP": HOST,
            "SPARK_NO_DAEMONIZE": "1",
            # Ten Java machines live for seconds each: most of the time goes into starting them.
            "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "PYSPARK_PYTHON": sys.executable,
            "PYSPARK_DRIVER_PYTHON": sys.executable,
        }
        self.processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Cluster:
        deploy = "org.apache.spark.deploy"
        self.start(f"{deploy}.master.Master", "--host", HOST, "--port", str(self.port), "--webui-port", str(free_port()))
        self.wait_for_port(self.port)
        for number in (1, 2):
            work = self.folder / f"worker{number}"
            worker = [f"{deploy}.worker.Worker", "--host", HOST, "--cores", "1", "--memory", "1g", "--work-dir", str(work)]
            self.start(*worker, "--webui-port", str(free_port()), self.master)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            process.wait(30)

    def start(self, *args: str) -> None:
        program = os.path.join(self.environment["SPARK_HOME"], "bin", "spark-class")
        log = open(self.folder / f"{len(self.processes)}.log", "wb")
        self.processes.append(
            subprocess.Popen([program, *args], env=self.environment, cwd=self.folder, stdout=log, stderr=log)
        )

    def wait_for_port(self, port: int) -> None:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex((HOST, port)) == 0:
                    return
            time.sleep(0.1)
        raise TimeoutError(f"no Spark master on port {port}: see {self.folder}")

    def executors(self) -> dict[int, int]:
        """Executor processes by worker: those whose parent is a worker."""
        found = {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                command = (entry / "cmdline").read_bytes()
            except (OSError, ValueError):
                continue
            if b"CoarseGrainedExecutorBackend" in command and b"spark://" in command:
                workers = [process.pid for process in self.processes[1:]]
                if parent in workers:
                    found[parent] = int(entry.name)
        return found
