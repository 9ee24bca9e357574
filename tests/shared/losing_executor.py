"""An executor in this process, whose workers end at some pieces."""

from puzzlelab.engine.executor import MOST_TRIES, PieceLost
from puzzlelab.engine.parallel import ThisProcess


class LosingExecutor(ThisProcess):
    """Does pieces in a thread, unless `is_lost` is true of their arguments: then they end their workers."""

    def __init__(self, is_lost):
        super().__init__(in_threads=True)
        self.is_lost = is_lost

    def _run(self, work, setup, put, over):
        if self.is_lost(*work.func.args if hasattr(work.func, "args") else work.args):
            raise PieceLost(f"it has ended {MOST_TRIES} workers (the test ended it)")
        return super()._run(work, setup, put, over)
