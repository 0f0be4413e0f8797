# SPDX-License-Identifier: GPL-2.0-only
"""The parts of examples/campaign: from a SPEC to runs, from runs to a database and a page."""
