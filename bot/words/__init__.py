"""Every sentence that failres says, in one place. Pure: values in, Markdown out; the hidden marker carries the
identity.
"""
