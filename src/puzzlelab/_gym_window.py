"""The window of `render_mode="human"`: shows pictures of boards by pygame, which is imported when it opens."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray


class BoardWindow:
    """A window for pictures; it opens with the first one, in its size."""

    def __init__(self, title: str, pictures_per_second: int) -> None:
        self._title = title
        self._rate = pictures_per_second
        self._screen: Any = None
        self._clock: Any = None

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Show a picture `uint8[height, width, 3]`, and wait as the number of pictures a second demands.

        Raises Gymnasium's `DependencyNotInstalled` without pygame.
        """
        pygame = _pygame()
        size = (picture.shape[1], picture.shape[0])
        if self._screen is None:
            pygame.display.init()
            pygame.display.set_caption(self._title)
            self._clock = pygame.time.Clock()
        if self._screen is None or self._screen.get_size() != size:
            self._screen = pygame.display.set_mode(size)
        self._screen.blit(pygame.surfarray.make_surface(picture.transpose(1, 0, 2)), (0, 0))
        pygame.event.pump()  # without it the system takes the window for one that does not respond
        self._clock.tick(self._rate)
        pygame.display.flip()

    def close(self) -> None:
        """Close the window; without effect if it is not open."""
        if self._screen is not None:
            _pygame().display.quit()
            self._screen = None


def _pygame() -> Any:
    try:
        import pygame
    except ImportError:
        raise DependencyNotInstalled(
            "the render_mode 'human' needs pygame, which is not installed: pip install pygame"
        ) from None
    return pygame
