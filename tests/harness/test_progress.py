import io
from concurrent.futures import Future

from lm_eval_codemind.harness.journal import Progress


def test_counts_what_is_done_and_ends_when_nothing_is_pending() -> None:
    stream = io.StringIO()
    progress = Progress(file=stream, disable=False)
    futures: list[Future[int]] = [Future() for _ in range(3)]
    for future in futures:
        progress.watch(future)
    assert progress._bar.total == 3
    futures[0].set_result(1)
    futures[2].set_exception(ValueError())
    assert progress._bar.n == 2
    futures[1].set_result(1)
    assert progress._bar is None
    assert "executing" in stream.getvalue()
    # The next task starts its own bar; a future that is done already counts at once.
    progress.watch(futures[0])
    assert progress._bar is None


def test_nothing_is_drawn_where_there_is_no_terminal() -> None:
    stream = io.StringIO()
    progress = Progress(file=stream)
    future: Future[int] = Future()
    progress.watch(future)
    future.set_result(1)
    assert stream.getvalue() == ""
