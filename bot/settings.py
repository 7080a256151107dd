"""What the process is told when it starts: from the environment (`FAILRES_…`) and a TOML file; the environment wins.

Every default stands here once. What is wrong is told all at once, each with the setting's name and what to do. Secrets
are never shown.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_core import PydanticCustomError

from bot.github.identity import PUBLIC_GITHUB, AppSettings, read_private_key
from bot.stops import paused_by_file, stopped_by_file

PREFIX: Final = "FAILRES_"
NAME: Final = r"^[a-z0-9][a-z0-9_-]{0,62}$"
PEM_START: Final = "-----BEGIN"
ALIKE: Final = 0.8  # how close a name must be to be taken for a slip

Mode: TypeAlias = Literal["observe", "propose", "act"]


def _address(given: SecretStr) -> SecretStr:
    """Check the address of a destination. The error never has it: it is a secret."""
    parts = urlsplit(given.get_secret_value())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("an address begins with https:// or http:// and names a host")
    return given


class Settings(BaseModel):
    """The process's settings. A field's description says what to give.

    In the file a setting has its name here; in the environment the same in capitals, after `FAILRES_`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, coerce_numbers_to_str=True)

    app_id: str = Field(
        pattern=r"^[0-9]{1,20}$",
        description="the App's numeric id, shown on the App's settings page",
    )
    private_key: SecretStr = Field(
        description="the path of the App's private key (.pem), or the key's text",
    )
    webhook_secrets: tuple[Annotated[SecretStr, Field(min_length=1)], ...] = Field(
        min_length=1,
        max_length=2,
        description="the App's webhook secret; two, separated by a comma, while it is being changed",
    )
    base_url: str = Field(
        PUBLIC_GITHUB,
        pattern=r"^https?://[^\s/?#@]+(/[^\s?#]*)?$",
        description="the API's address; on GitHub Enterprise Server https://HOST/api/v3",
    )
    web_url: str = Field(
        "",
        pattern=r"^($|https?://[^\s/?#@]+(/[^\s?#]*)?$)",
        description="where GitHub shows its pages to people; empty to derive it from base_url",
    )
    state_dir: Path = Field(
        Path("state"),
        description="the directory for the embedded store and the stop file",
    )
    store_url: str = Field(
        "",
        pattern=r"^($|sqlite://|postgresql://)",
        description="postgresql://… for several processes; empty for a file in the state directory",
    )
    host: str = Field("127.0.0.1", min_length=1, description="the address to listen on; 0.0.0.0 for all")
    port: int = Field(8080, ge=0, le=65_535, description="the port to listen on; 0 for any free one")
    webhook_path: str = Field(
        "/webhook",
        pattern=r"^/[A-Za-z0-9_./-]*$",
        description="the path that GitHub posts deliveries to",
    )
    mode: Mode = Field(
        "observe",
        description="the most that a repository's configuration may switch on: observe, propose or act",
    )
    destinations: dict[Annotated[str, Field(pattern=NAME)], Annotated[SecretStr, AfterValidator(_address)]] = Field(
        default_factory=dict,
        max_length=50,
        description="where notifications go: NAME=ADDRESS, separated by commas; in the file a table of names",
    )
    stop: bool = Field(False, description="1 to stop every action of this process")
    stop_file: Path | None = Field(
        None,
        description="while this file exists there is no action; by default STOP in the state directory",
    )

    llm_url: str = Field(
        "",
        pattern=r"^($|https?://[^\s/?#@]+(/[^\s?#]*)?$)",
        description="the address of an OpenAI-compatible endpoint, https://HOST/v1; empty for no model",
    )
    llm_key: SecretStr = Field(SecretStr(""), description="the endpoint's key; empty where it asks for none")
    llm_model: str = Field("", max_length=200, validate_default=True, description="the model's name at the endpoint")
    llm_timeout: float = Field(30.0, ge=0.1, le=300, description="how many seconds an answer may take")
    llm_calls_per_day: int = Field(
        100, ge=0, le=10_000, description="how many calls a repository may cost in a day at most"
    )

    @field_validator("llm_model")
    @classmethod
    def _named(cls, value: str, info: ValidationInfo) -> str:
        if info.data.get("llm_url") and not value:
            raise PydanticCustomError("unnamed", "is missing, though llm_url is given")
        return value

    @property
    def app(self) -> AppSettings:
        """What the GitHub client needs."""
        return AppSettings(app_id=self.app_id, private_key=self.private_key, base_url=self.base_url)

    @property
    def pages(self) -> str:
        """GitHub's own pages, for links: the address given, else the one that belongs to the API's."""
        if self.web_url:
            return self.web_url.rstrip("/")
        if self.base_url.rstrip("/") == PUBLIC_GITHUB:
            return "https://github.com"
        return self.base_url.rstrip("/").removesuffix("/api/v3")

    @property
    def store(self) -> str:
        """The store's address: the one given, else a file in the state directory."""
        return self.store_url or f"sqlite:///{self.state_dir.absolute() / 'failres.db'}"

    def stopped(self, full_name: str = "", repo_id: int = 0) -> str | None:
        """Why nothing may be done at this moment, at all or on a repository; None where it may. Files are looked at
        each time.
        """
        if self.stop:
            return f"{PREFIX}STOP is set"
        whole = stopped_by_file(self.stop_file or self.state_dir / "STOP")
        return whole or paused_by_file(self.state_dir / "PAUSED", full_name, repo_id)


class Problem(NamedTuple):
    """One wrong setting: its name as it was given or is to be given, what is wrong, what to do."""

    setting: str
    wrong: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.setting}: {self.wrong}. {self.remedy}"


class SettingsError(Exception):
    """The settings cannot be used; all problems at once."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def load_settings(environ: Mapping[str, str], file: Path | None = None) -> Settings:
    """The settings of a process. Raises SettingsError."""
    given = _from_file(file) if file is not None else {}
    problems = [*_unknown_in_file(given, file), *_slips(environ)]
    given.update(_from_environment(environ))
    names = {name: f"{PREFIX}{name.upper()}" if f"{PREFIX}{name.upper()}" in environ else name for name in given}
    try:
        given = {name: value for name, value in given.items() if name in Settings.model_fields}
        settings = Settings.model_validate(_with_key(_with_secrets(given), file))
    except ValidationError as error:
        raise SettingsError([*problems, *_problems(error, names)]) from None
    except _KeyError as error:
        raise SettingsError([*problems, _named("private_key", names, str(error))]) from None
    if problems:
        raise SettingsError(problems)
    return settings


class _KeyError(Exception):
    """The private key cannot be had."""


def _from_file(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as problem:
        raise SettingsError(
            [Problem(str(file), problem.strerror or "cannot be read", "Name a file that is there.")]
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise SettingsError([Problem(str(file), f"no TOML: {problem}", "Mend the file.")]) from None


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in Settings.model_fields:
        value = environ.get(f"{PREFIX}{name.upper()}", "")
        # Kubernetes sets FAILRES_PORT to such an address for any service that is called failres.
        if value and not (name == "port" and value.startswith("tcp://")):
            found[name] = value
    return found


def _with_secrets(given: dict[str, Any]) -> dict[str, Any]:
    secrets = given.get("webhook_secrets")
    if isinstance(secrets, str):
        given["webhook_secrets"] = [secret for secret in (part.strip() for part in secrets.split(",")) if secret]
    destinations = given.get("destinations")
    if isinstance(destinations, str):
        pairs = (part.strip().partition("=") for part in destinations.split(",") if part.strip())
        given["destinations"] = {name.strip(): address.strip() for name, _, address in pairs}
    return given


def _with_key(given: dict[str, Any], file: Path | None) -> dict[str, Any]:
    """Put the key's text in the place of its path; a path in the file is relative to the file."""
    key = given.get("private_key")
    if not isinstance(key, str):
        return given
    text = key.replace("\\n", "\n").strip()
    if not text.startswith(PEM_START):
        path = Path(key).expanduser()
        try:
            text = (file.parent / path if file is not None else path).read_text(encoding="utf-8")
        except (OSError, ValueError) as problem:
            # Not the value: it may be a key whose first line was lost.
            raise _KeyError(f"neither a key's text nor a file that can be read ({type(problem).__name__})") from None
    try:
        read_private_key(text)
    except ValueError as problem:
        raise _KeyError(str(problem)) from None
    given["private_key"] = text
    return given


def _problems(error: ValidationError, names: Mapping[str, str]) -> Iterator[Problem]:
    for detail in error.errors(include_input=False, include_url=False, include_context=False):
        wrong = "is missing" if detail["type"] == "missing" else detail["msg"]
        yield _named(str(detail["loc"][0]), names, wrong)


def _named(name: str, names: Mapping[str, str], wrong: str) -> Problem:
    what = Settings.model_fields[name].description
    both = f"{PREFIX}{name.upper()} (or {name} in the settings file)"
    return Problem(names.get(name, both), wrong, f"Give {what}.")


def _unknown_in_file(given: Mapping[str, Any], file: Path | None) -> Iterator[Problem]:
    for name in given:
        if name not in Settings.model_fields:
            near = difflib.get_close_matches(name, Settings.model_fields, 1)
            yield Problem(f"{name} in {file}", "no such setting", f"Did you mean {near[0]}?" if near else "Remove it.")


def _slips(environ: Mapping[str, str]) -> Iterator[Problem]:
    """Variables that look like a setting misspelt. Others that begin alike are none of ours: orchestrators set them
    too.
    """
    known = {name.upper() for name in Settings.model_fields}
    for variable in environ:
        name = variable.removeprefix(PREFIX)
        if name == variable or name in known:
            continue
        near = difflib.get_close_matches(name, known, 1, ALIKE)
        if near:
            yield Problem(variable, "no such setting", f"Did you mean {PREFIX}{near[0]}?")
