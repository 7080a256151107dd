"""A journal that somebody changed: nothing is done on its repository any more, and people are told where they are."""

import re
import sqlite3

from inline_snapshot import snapshot

from tests.stories.test_notify import escalate, receiving, shop, told


async def changed(world, old, new):
    """Somebody changes a record while failres is stopped."""
    await world.stop()
    with sqlite3.connect(f"{world.root}/state/failres.db") as connection:
        count = connection.execute(
            "update journal set data = replace(data, ?, ?) where kind = 'head.pushed'", (old, new)
        ).rowcount
    connection.close()
    assert count >= 1
    await world.start()


async def test_people_are_told_of_a_damaged_journal_where_they_are(calm):
    """One comment, one notification and a figure; a command is not read. Restored, it goes on with what came in."""
    async with receiving() as receiver:
        await told(calm, team=receiver.address)
        await shop(calm)
        pull = await escalate(calm)
        before, heard = set(calm.where(pull).comments), len(receiver.got)
        await changed(calm, '"author"', '"Author"')
        retry = calm.people.comment(pull, "/failres retry", by="maintainer")
        for _ in range(3):
            calm.clock.advance(3_700.0)
            await calm.settle()
        new = [each for each in calm.where(pull).comments.values() if each.id not in before and each is not retry]
        assert [re.sub("d-[0-9a-f]{10}", "d-‹id›", calm.named(each.body)) for each in new] == snapshot(
            [
                """\
<!-- failres:decision:d-‹id› -->

**failres has stopped on this repository.**

The chain of failres's own records of this repository does not hold any more (record 5: its content is not what its digest was made from), so that nothing of it is relied on: nothing automatic is done on any pull request here, and no command is read.

There is nothing to answer. Whoever runs failres has to restore its store from a backup; `failres journal --verify` shows the place. This comment stays as it is: once failres goes on, the others are kept up to date again.

<sub>failres · question d-‹id› · commit ‹discount:1› · class journal-corrupt</sub>\
"""
            ]
        )
        assert [mark for mark, _ in receiver.got[heard:]] == ["notify:journal-corrupt:team"]
        assert receiver.got[-1][1]["text"].replace(calm.sandbox.web_url, "https://github.test") == snapshot("""\
*The journal is damaged* `octo/shop`
Why: `record 5: its content is not what its digest was made from`
failres was acting on <https://github.test/octo/shop/pull/1|#1>.
Restore failres's store from a backup; failres journal --verify shows the place. Until then failres does nothing there and reads no commands.\
""")
        assert [sample.value for sample in calm.failres.service.samples()] == [1]
        assert retry.reactions == []
        await changed(calm, '"Author"', '"author"')
        calm.clock.advance(3_700.0)
        await calm.settle()
        assert [each.content for each in retry.reactions] == ["+1"]
        assert [sample.value for sample in calm.failres.service.samples()] == [0]
        calm.said(pull)
