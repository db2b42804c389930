"""A Spark cluster on this machine: a master and two workers, each in its own process.

Spark from pip comes without `start-master.sh` and `start-worker.sh`, which would do the same.
"""

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
    """A context manager that starts and stops the cluster."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.master = f"spark://{HOST}:{self.port}"
        self.environment = {
            **os.environ,
            "SPARK_HOME": os.path.dirname(pyspark.__file__),
            "SPARK_LOCAL_IP": HOST,
            "SPARK_NO_DAEMONIZE": "1",
            # Ten JVMs live for seconds each: most of the time goes into starting them.
            "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "PYSPARK_PYTHON": sys.executable,
            "PYSPARK_DRIVER_PYTHON": sys.executable,
        }
        self.processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Cluster:
        self.start("master.Master", "--port", str(self.port))
        self.wait_for_port(self.port)
        for number in (1, 2):
            work = str(self.folder / f"worker{number}")
            limits = ["--cores", "1", "--memory", "1g", "--work-dir", work]
            self.start("worker.Worker", *limits, self.master)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            process.wait(30)

    def start(self, name: str, *args: str) -> None:
        program = os.path.join(self.environment["SPARK_HOME"], "bin", "spark-class")
        place = ["--host", HOST, "--webui-port", str(free_port())]
        command = [program, f"org.apache.spark.deploy.{name}", *place, *args]
        log = open(self.folder / f"{len(self.processes)}.log", "wb")
        self.processes.append(
            subprocess.Popen(command, env=self.environment, cwd=self.folder, stdout=log, stderr=log)
        )

    def wait_for_port(self, port: int) -> None:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex((HOST, port)) == 0:
                    return
            time.sleep(0.1)
        raise TimeoutError(f"no Spark master on port {port}: see {self.folder}")

    def executors(self) -> dict[int, int]:
        """Executor processes by worker, which is their parent."""
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
