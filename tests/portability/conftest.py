"""``without_posix`` is for processes of their own: importing it would change this one."""

collect_ignore = ["without_posix"]
