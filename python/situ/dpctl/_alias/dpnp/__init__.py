"""`import dpnp`, where this is the one that is found, is `situ.dpnp`.

A package rather than an entry in `sys.modules`, because processes that a program starts find it, too, on their path.
"""

from situ.dpctl import _alias

_alias.stand_in(__name__)
