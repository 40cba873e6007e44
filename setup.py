"""The build; everything else is in setup.cfg."""

from setuptools import Distribution, setup


class WithDataFiles(Distribution):
    """A distribution whose editable installation has its data files, too: the start-up hook."""

    def has_data(self) -> bool:
        """Whether there are data files. setuptools asks under this name, which its own class lacks."""
        return bool(self.has_data_files())


setup(distclass=WithDataFiles)
