"""`failres setup workflows`: what it writes is what the probe chooser understands, and nothing is overwritten."""

import pytest

from bot.cli.main import main
from bot.cli.setup import REPAIR_TEMPLATE, TEMPLATE, probe_workflow
from resolver.config import RepoConfig
from resolver.executions import Check
from resolver.ids import Sha
from resolver.probes import PROBE_WORKFLOW, NoProbe, ProbePlan, ProbeWanted, choose_probe
from resolver.repair_job import REPAIR_WORKFLOW
from resolver.workflow.file import WorkflowFile, read_workflow

CI = ".github/workflows/ci.yml"


@pytest.fixture
def checkout(tmp_path):
    """A folder that looks like a checkout."""
    (tmp_path / ".git").mkdir()
    return tmp_path


def setup(checkout, *more):
    """Run the command on it; gives its exit status."""
    return main(["setup", "workflows", "--into", str(checkout), *more])


def chosen(checkout, job):
    """What the chooser makes of the written file for a check."""
    file = read_workflow(PROBE_WORKFLOW, (checkout / PROBE_WORKFLOW).read_text())
    assert isinstance(file, WorkflowFile), file
    wanted = ProbeWanted(check=Check(workflow=CI, job=job), base_sha=Sha("b" * 40), attempt=1, probe_id="x")
    return choose_probe(wanted, {PROBE_WORKFLOW: file}, RepoConfig())


@pytest.mark.parametrize("name", ["unit", "unit (3.12, ubuntu-latest)", "it's a test", "🐧 Linux", "a: b # c"])
def test_a_check_that_is_given_can_be_probed(checkout, name):
    """The file has a job of that very name, and only for that check."""
    assert setup(checkout, "--check", f"{CI}: {name}", "make unit") == 0
    assert isinstance(chosen(checkout, name), ProbePlan)
    assert isinstance(chosen(checkout, "other"), NoProbe)


def test_without_checks_the_file_says_how(checkout, capsys):
    """The template is written as it is; no check can be probed by it yet, and the next step is told."""
    assert setup(checkout) == 0
    assert (checkout / PROBE_WORKFLOW).read_text() == TEMPLATE.read_text()
    assert isinstance(chosen(checkout, "unit"), NoProbe)
    told = capsys.readouterr().out
    assert "Next: give each check" in told
    assert "with your own credentials" in told


def test_a_second_time_changes_nothing(checkout):
    """The same content is fine."""
    assert setup(checkout) == 0
    assert setup(checkout) == 0


def test_other_content_is_kept_unless_it_is_forced(checkout, capsys):
    """What somebody wrote there stays."""
    path = checkout / PROBE_WORKFLOW
    path.parent.mkdir(parents=True)
    path.write_text("mine\n")
    assert setup(checkout) == 1
    assert path.read_text() == "mine\n"
    assert "--force" in capsys.readouterr().err
    assert setup(checkout, "--force") == 0
    assert path.read_text() == TEMPLATE.read_text()


def test_the_workflow_of_repairs_is_written_once_and_then_its_repositorys_own(checkout, capsys):
    """It comes without a repair; what somebody made of it stays, even where replacing is forced."""
    assert setup(checkout) == 0
    path = checkout / REPAIR_WORKFLOW
    assert path.read_text() == REPAIR_TEMPLATE.read_text()
    assert "changes nothing until a job is added" in capsys.readouterr().out
    path.write_text("mine\n")
    assert setup(checkout, "--force") == 0
    assert path.read_text() == "mine\n"
    assert "was left as it is" in capsys.readouterr().out


def test_a_folder_that_is_no_checkout_is_refused(tmp_path):
    """Nothing is written there."""
    assert setup(tmp_path) == 2
    assert not (tmp_path / ".github").exists()


def test_nothing_is_written_outside_of_the_checkout(checkout, tmp_path_factory):
    """A repository may have a link where its workflows should be."""
    outside = tmp_path_factory.mktemp("outside")
    (checkout / ".github").symlink_to(outside)
    assert setup(checkout) == 2
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    ("check", "command"),
    [
        ("unit", "make"),
        ("ci.yml: unit", "make"),
        (f"{CI}: ", "make"),
        (f"{CI}: unit", " "),
        (f"{CI}: unit\nx", "make"),
        (f"{CI}: ${{{{ secrets.X }}}}", "make"),
        (f"{CI}: unit", "echo ${{ secrets.X }}"),
    ],
)
def test_a_check_that_cannot_be_written_is_refused(check, command):
    """No half-right job, and no expression from the command line."""
    with pytest.raises(ValueError, match="check"):
        probe_workflow(TEMPLATE.read_text(), [(check, command)])
