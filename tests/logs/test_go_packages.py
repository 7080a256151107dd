"""Go's packages have tests of one name: one package's failure is neither another's evidence nor another's excuse."""

from resolver.log.classify import classify
from resolver.log.context import LogContext


def found(*packages, summary=True):
    """What is found in a log in which `TestRun` fails with the same words in each of these packages."""
    lines = []
    for package in packages:
        lines += ["--- FAIL: TestRun (0.01s)", "    run_test.go:9: exit status 1", "FAIL"]
        lines += [f"FAIL\texample.com/shop/{package}\t0.012s"] if summary else []
    lines += ["FAIL", "##[error]Process completed with exit code 1."]
    return classify("\n".join(lines).encode(), LogContext(check="ci")).findings


def test_the_same_name_in_another_package_is_another_failure():
    """Equal in the same package, different in another, and both are told where both fail."""
    ((cart,), (till,)) = found("cart"), found("till")
    assert (cart.item, till.item) == ("TestRun", "TestRun")
    assert cart.fingerprint == found("cart")[0].fingerprint != till.fingerprint
    assert [(each.container, each.fingerprint) for each in found("cart", "till")] == [
        ("example.com/shop/cart", cart.fingerprint),
        ("example.com/shop/till", till.fingerprint),
    ]


def test_without_a_packages_line_nothing_says_which_package_it_was():
    """A log that was cut off: it is no evidence about either."""
    (cut,) = found("cart", summary=False)
    assert cut.container == ""
    assert cut.fingerprint not in {each.fingerprint for each in found("cart", "till")}
