"""Prompts in YAML files, and files that hold none."""

from __future__ import annotations

import pytest

from promptlint.prompt import Section
from promptlint.readers.yaml_prompts import read
from promptlint.source import Source
from promptlint.template import PieceKind
from promptlint.unit import PromptSource, Unit


def unit(text: str, path: str = "config.yaml", dialect: str | None = None) -> Unit:
    return read(Source(path, text), dialect)


def names(text: str, path: str = "config.yaml") -> list[str]:
    return [prompt.name for prompt in unit(text, path).prompts]


def roles(prompt: PromptSource) -> list[str | None]:
    return [message.role for message in prompt.messages]


def dialects(prompt: PromptSource) -> list[str]:
    return [message.template.dialect for message in prompt.messages]


def holes(text: str, path: str = "config.yaml") -> list[tuple[int, int, str]]:
    """Line, column and text of every hole."""
    source = Source(path, text)
    found = []
    for prompt in read(source).prompts:
        for message in prompt.messages:
            for piece in message.template.pieces:
                if piece.kind is PieceKind.HOLE:
                    at = source.position(piece.span.start)
                    found.append((at.line, at.column, source.slice(piece.span)))
    return found


PROSE = "You are a careful helper who answers questions about the handbook and cites its pages."

GITHUB_MODELS = """\
name: compare
model: openai/gpt-4o
messages:
  - role: system
    content: Be brief
  - role: user
    content: 'Compare {{a}} with "{{b}}"'
testData:
  - a: x
evaluators:
  - name: judge
    llm:
      prompt: You are a judge and you decide which of the two answers is the better one, always.
"""


def test_github_models() -> None:
    (prompt,) = unit(GITHUB_MODELS, "a/compare.prompt.yml").prompts
    assert (prompt.name, prompt.model, roles(prompt)) == ("", "openai/gpt-4o", ["system", "user"])
    assert holes(GITHUB_MODELS) == [(7, 23, "{{a}}"), (7, 35, "{{b}}")]


def test_positions_through_all_styles() -> None:
    text = (
        "messages:\r\n- role: system\r\n  content: >-\r\n    Today is\r\n    {{ now() }}.\r\n\r\n    Be brief.\r\n"
        "- role: user\r\n  content: \"\\u0041\\\"s {{ q }}\"\r\n- {role: user, content: 'it''s {{ r }}'}\r\n"
    )
    assert holes(text) == [(5, 5, "{{ now() }}"), (9, 23, "{{ q }}"), (10, 32, "{{ r }}")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"- role: system\n  content: {PROSE}\n- role: user\n  content: '{{{{q}}}}'\n", ["system", "user"]),
        (f"- system: {PROSE}\n- user: '{{{{q}}}}'\n", ["system", "user"]),
        (
            f"messages:\n- role: system\n  content:\n  - type: text\n    text: {PROSE}\n  - type: image_url\n"
            "    image_url: {url: x}\n  - {type: text, text: more}\n",
            ["system", "system", "system"],
        ),
        (f"system: {PROSE}\nmessages:\n- role: user\n  content: '{{{{q}}}}'\n", ["system", "user"]),
        (
            f"prompt:\n- role: developer\n  content: {PROSE}\n- role: assistant\n  content: hello there\n",
            ["developer", "assistant"],
        ),
    ],
)
def test_lists_of_messages(text: str, expected: list[str]) -> None:
    (prompt,) = unit(text).prompts
    assert roles(prompt) == expected


def test_system_and_user_keys_are_one_request_in_its_order() -> None:
    text = (
        f"name: x\nuser_prompt: |\n  {{question}}\nfew_shots:\n- input: what is it\n  output: a thing\n"
        f"system_prompt: |\n  {PROSE}\ntools: |\n  You have search and mail.\n"
    )
    (prompt,) = unit(text).prompts
    assert prompt.name == ""
    assert [(message.role, message.section) for message in prompt.messages] == [
        ("system", None),
        (None, Section.TOOLS),
        (None, Section.EXAMPLES),
        (None, Section.EXAMPLES),
        ("user", None),
    ]


def test_a_short_text_joins_a_request_but_begins_none() -> None:
    (prompt,) = unit(f"system_prompt: {PROSE}\nuser: '{{question}}'\ninput: data.csv\n").prompts
    assert roles(prompt) == ["system", "user"]
    assert names("user: '{question}'\n") == []


def test_prompts_of_one_stem_belong_together() -> None:
    text = (
        f"planner_system_prompt: {PROSE}\nplanner_user_prompt: Plan the {{task}} in steps\n"
        f"writer_system_prompt: {PROSE}\nwriterPrompt: Write it up, {{tone}}\n"
    )
    found = unit(text).prompts
    assert [roles(prompt) for prompt in found] == [["system", "user"], ["system"]]
    assert names(text) == ["", "writer_system_prompt"]


def test_unrelated_prompts_are_named_by_their_path() -> None:
    text = (
        f"agents:\n  planner:\n    model: gpt-4o\n    system_prompt: {PROSE}\n  critic:\n    systemPrompt: {PROSE}\n"
        f"team:\n- name: lead\n  instructions: {PROSE}\n- instructions: {PROSE}\n"
    )
    assert names(text) == [
        "agents.planner.system_prompt",
        "agents.critic.systemPrompt",
        "team.lead.instructions",
        "team.1.instructions",
    ]
    assert [prompt.model for prompt in unit(text).prompts] == ["gpt-4o", None, None, None]


def test_several_documents_are_told_apart() -> None:
    assert names(f"# a comment\n---\nsystem_prompt: {PROSE}\n") == ["system_prompt"]
    assert names(f"%YAML 1.1\n---\na: b\n---\nsystem_prompt: {PROSE}\n") == ["system_prompt"]
    text = f"system_prompt: {PROSE}\n---\nsystem_prompt: {PROSE}\n"
    assert names(text) == ["system_prompt", "2.system_prompt"]


def test_swe_agent() -> None:
    text = (
        "agent:\n  templates:\n    system_template: |-\n      You are a helpful assistant that can use a computer.\n"
        "    instance_template: |-\n      Solve {{problem_statement}} in {{working_dir}}.\n"
        "    next_step_template: |-\n      OBSERVATION:\n      {{observation}}\n"
        "  model:\n    name: claude-sonnet\n"
    )
    (prompt,) = unit(text).prompts
    assert (prompt.name, roles(prompt), dialects(prompt)) == ("agent.templates", ["system", "user"], ["plain", "jinja"])


def test_smolagents() -> None:
    text = (
        "system_prompt: |-\n  You are an expert assistant.\n  {%- for tool in tools.values() %}\n  - {{ tool.name }}\n"
        "  {%- endfor %}\nplanning:\n  initial_plan : |-\n    Survey the facts for {{task}}.\n"
        "  update_plan_pre_messages: |-\n    You have been given {{task}}.\n"
        "  update_plan_post_messages: |-\n    Write the plan, {remaining_steps} steps remain.\n"
        "managed_agent:\n  task: |-\n    You're {{name}}, do {{task}}.\n"
        "  report: |-\n    The answer: {{final_answer}}\n"
        "final_answer:\n  pre_messages: |-\n    An agent tried to answer.\n"
        "  post_messages: |-\n    Now answer {{task}}.\n"
    )
    found = unit(text).prompts
    assert [(prompt.name, roles(prompt)) for prompt in found] == [
        ("system_prompt", ["system"]),
        ("planning.initial_plan", ["user"]),
        ("planning", ["system", "user"]),
        ("managed_agent.task", ["user"]),
        ("final_answer", ["system", "user"]),
    ]


def test_crewai() -> None:
    text = (
        "researcher:\n  role: >\n    {topic} Researcher\n  goal: >\n    Uncover developments in {topic}\n"
        "  backstory: >\n    You're a seasoned researcher.\n"
    )
    (agent,) = unit(text, "src/config/agents.yaml").prompts
    assert (agent.name, roles(agent)) == ("researcher", ["system"] * 3)
    assert dialects(agent) == ["strformat", "plain", "strformat"]
    starts = [message.template.pieces[0].span.start for message in agent.messages]
    assert starts == [text.index("{topic} R"), text.index("You're"), text.index("Uncover")]
    task = "research:\n  description: Research {topic} well\n  expected_output: A list\n  agent: researcher\n"
    (prompt,) = unit(task).prompts
    assert roles(prompt) == ["user", "user"]


def test_semantic_kernel() -> None:
    text = (
        "name: story\ntemplate: |\n  Tell a story about {{topic}} that is {{length}} sentences long, please.\n"
        "template_format: FORMAT\ninput_variables:\n- name: topic\n  description: The topic of the story\n"
    )
    for said, expected in (("handlebars", "handlebars"), ("semantic-kernel", "macros"), ("jinja2", "jinja")):
        (prompt,) = unit(text.replace("FORMAT", said)).prompts
        assert (prompt.name, dialects(prompt)) == ("template", [expected])


def test_the_dialect_asked_for_wins_over_the_file() -> None:
    text = f"system_prompt: {PROSE} {{{{x}}}}\ntemplate_format: handlebars\n"
    (prompt,) = unit(text, dialect="none").prompts
    assert dialects(prompt) == ["plain"]


def test_dify() -> None:
    text = (
        "app: {mode: workflow}\nkind: app\nversion: 0.1.0\n"
        "workflow:\n  graph:\n    nodes:\n    - id: llm\n      data:\n"
        "        model: {name: gpt-4o, provider: openai}\n        prompt_template:\n        - role: system\n"
        "          edition_type: basic\n          text: You know {{#context#}}, answer from it.\n        - role: user\n"
        "          edition_type: jinja2\n          text: old\n"
        "          jinja2_text: '{% if a %}{{ a }} please{% endif %}'\n"
    )
    (prompt,) = unit(text).prompts
    assert (prompt.name, prompt.model) == ("workflow.graph.nodes.llm.data", "gpt-4o")
    assert (roles(prompt), dialects(prompt)) == (["system", "user"], ["macros", "jinja"])
    assert names(f"model_config:\n  pre_prompt: {PROSE}\n") == ["model_config.pre_prompt"]
    assert names("model_config:\n  pre_prompt: ''\n") == []


def test_promptfoo() -> None:
    text = (
        "prompts:\n- file://prompts/a.txt\n- 'Translate this to French: {{text}}'\n"
        "- raw: 'Say it in {{lang}}, kindly'\n"
        "  label: kind\n- - role: system\n    content: You translate.\n  - role: user\n    content: '{{text}}'\n"
        "providers: [openai:gpt-4o]\n"
        "tests:\n- vars: {text: You are a pirate and you talk like one all the time}\n  assert:\n  - type: llm-rubric\n"
        "    value: is it right\n"
    )
    found = unit(text, "promptfooconfig.yaml").prompts
    assert [(prompt.name, roles(prompt)) for prompt in found] == [
        ("prompts.1", [None]),
        ("prompts.kind", [None]),
        ("prompts.3", ["system", "user"]),
    ]


def test_collections() -> None:
    text = f"prompts:\n  summary: {PROSE}\n  title:\n    system: {PROSE}\n    user: Title for {{text}}\n"
    assert names(text) == ["prompts.summary", "prompts.title"]
    assert names(f"system_prompts:\n  default: Answer in one short line.\n  long: {PROSE}\n") == [
        "system_prompts.default",
        "system_prompts.long",
    ]


def test_a_text_inside_a_mapping() -> None:
    (prompt,) = unit(f"system_prompt:\n  template: {PROSE} {{{{x}}}}\n  template_format: mustache\n").prompts
    assert (prompt.name, dialects(prompt)) == ("system_prompt", ["handlebars"])


def test_deer_flow() -> None:
    text = (
        "format: text\nversion: '1.0'\ntemplate: |-\n  Extract information about the user from this message.\n\n"
        "  {message}\n\n  Return JSON.\n"
    )
    assert names(text, "agents/prompts/fact.yaml") == ["template"]
    assert holes(text, "agents/prompts/fact.yaml") == [(6, 3, "{message}")]
    assert names(text, "deploy/fact.yaml") == []


def test_chinese_has_no_blanks_between_words() -> None:
    assert names("system_prompt: 你是一个专业的助手，请回答用户的问题。\n") == ["system_prompt"]


def test_anchors_share_and_circles_end() -> None:
    text = f"base: &base\n  system_prompt: {PROSE}\na: *base\nb: &b\n  again: *b\nc: {{system_prompt: *nothing}}\n"
    found = unit(text)
    assert [prompt.name for prompt in found.prompts] == ["base.system_prompt"]
    assert len(found.problems) == 1


def test_circles_in_examples_end() -> None:
    assert names(f"system_prompt: {PROSE}\nexamples: &x\n- what is it\n- *x\n- {{a: *x}}\n") == [""]


def test_included_names_are_wanted() -> None:
    assert unit(f"system_prompt: |\n  {PROSE}\n  {{% include 'rules.j2' %}}\n").wanted == ("rules.j2",)


def test_a_broken_file_keeps_what_stands_above() -> None:
    found = unit(f"system_prompt: {PROSE}\nb: [1, 2\nc: 'x\n")
    assert [prompt.name for prompt in found.prompts] == ["system_prompt"]
    assert len(found.problems) == 1


def test_a_broken_file_is_reported_only_when_it_is_a_prompt() -> None:
    assert unit("prompt: 'x\n").problems == ()
    (problem,) = unit("messages: 'x\n", "a.prompt.yaml").problems
    assert problem.span.start == 10


def test_a_broken_template_is_a_problem_at_its_place() -> None:
    text = f"system_prompt: |\n  {PROSE}\n  {{% if x %}}\n  y\n"
    (problem,) = unit(text).problems
    assert problem.span.start == text.index("{% if")


def test_deep_files_do_not_raise() -> None:
    assert unit("[" * 10_000, "a.prompt.yml").prompts == ()
    assert len(unit("prompt: " + "[" * 10_000, "a.prompt.yml").problems) == 1


# Files that are not prompts, however their keys are called.

COMPOSE = f"""\
services:
  chat:
    image: ghcr.io/x/chat
    environment:
      SYSTEM_PROMPT: {PROSE}
      MODEL: gpt-4o
    command: ["--prompt", "hello"]
"""

WORKFLOW = f"""\
name: review
on: pull_request
jobs:
  review:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/ai-inference@v1
        with:
          model: gpt-4o
          prompt: |
            {PROSE}
            Today is ${{{{ github.run_id }}}}.
"""

KUBERNETES = f"""\
apiVersion: v1
kind: ConfigMap
metadata: {{name: agent-prompts}}
data:
  system_prompt: |
    {PROSE}
---
apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      containers: [{{name: x, image: y}}]
"""

OPENAPI = f"""\
openapi: 3.1.0
info: {{title: Chat, description: An API with prompts for agents}}
paths:
  /chat:
    post:
      requestBody:
        content:
          application/json:
            example:
              messages:
                - role: system
                  content: {PROSE}
components:
  schemas:
    Message:
      properties:
        role: {{type: string, description: Who speaks in the conversation, one of the known roles of the API}}
        instructions: {{type: string, description: What the agent is told before the conversation begins}}
"""

TRANSLATIONS = """\
en:
  agents:
    prompt: Please describe in your own words what the agent should do for you and your team.
    instructions: Follow the instructions in the mail that we have sent you to reset your password.
    system: The system will be down tonight between ten and twelve for scheduled maintenance work.
"""

QUIZ = """\
pages:
- type: ChoiceQuestion
  id: color
  prompt: |
    What color does the sun have when you look at it through a very thick layer of air?
  choices: [Blue, Yellow]
"""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("docker-compose.yml", COMPOSE),
        ("compose.prod.yaml", COMPOSE.replace("services:", "x:")),
        ("agent/stack.yml", COMPOSE),
        (".github/workflows/review.yml", WORKFLOW),
        ("ci/agent.yml", WORKFLOW),
        (".gitlab-ci.yml", f"ai:\n  script: [x]\n  variables:\n    SYSTEM_PROMPT: {PROSE}\n"),
        ("action.yml", f"runs: {{using: composite}}\ninputs:\n  prompt:\n    default: {PROSE}\n"),
        ("deploy/agent.yaml", KUBERNETES),
        ("openapi.yaml", OPENAPI),
        ("agents/api.yml", OPENAPI.replace("openapi: 3.1.0", 'swagger: "2.0"')),
        ("config/agents.yml", TRANSLATIONS),
        ("config/locales/agents.yml", TRANSLATIONS.replace("en:", "texts:")),
        ("agents/pt-BR.yml", TRANSLATIONS.replace("en:", "texts:")),
        ("agents/messages.de.yml", TRANSLATIONS.replace("en:", "texts:")),
        ("quiz.yml", QUIZ),
        ("cli.yml", "questions:\n- name: project\n  prompt: 'Name of the project?'\n  default: x\n"),
        ("copier.yml", "system:\n  help: Which operating system do you use?\n  type: str\n  default: linux\n"),
        (
            "playbook.yml",
            "- hosts: all\n  vars_prompt:\n  - name: pw\n"
            "    prompt: Please type the password of the agent user on all of the machines\n",
        ),
        ("ivr.yml", "menu:\n  prompt: Please say or type your account number, then press the pound key when done.\n"),
        ("mkdocs.yml", "site_name: Prompts\nnav:\n- Instructions: instructions.md\ntheme: {name: material}\n"),
        ("users.yml", "- role: user\n  content: read\n- role: admin\n  content: write\n"),
        ("roles.yml", "users:\n- role: user\n  name: Ann Smith\n- role: system\n  name: Root User\n"),
        ("values.yaml", "system: linux\nuser: app\nprompt: 'yes'\ntemplate: default\ninstructions: see README.md\n"),
        ("eval.yml", "cases:\n- description: It adds numbers as they come in\n  expected_output: '3'\n"),
        (
            ".pre-commit-config.yaml",
            "repos:\n- repo: local\n  hooks:\n  - id: prompts\n    name: prompts\n    entry: x\n",
        ),
        (
            "issue.yml",
            "name: Bug\ndescription: Report a bug\nbody:\n- type: textarea\n  attributes:\n"
            "    label: System prompt\n    description: What did you tell the agent to do, in its system prompt?\n",
        ),
        (
            "mail.yml",
            "template: |\n  Dear {name}, thank you for your order of {count} things, it leaves our house on {date}.\n",
        ),
    ],
)
def test_other_files_have_no_prompts(path: str, text: str) -> None:
    found = unit(text, path)
    assert (found.prompts, found.problems) == ((), ())


def test_prompts_in_several_languages_are_prompts() -> None:
    assert names(f"system_prompt: {PROSE}\n", "prompts/en.yaml") == ["system_prompt"]
