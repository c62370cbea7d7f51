"""`armillary lens`: what each layer of a model would answer to a prompt."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armillary.cli.options import AsJson, Model

if TYPE_CHECKING:
    from armillary.lens import LogitLens
    from armillary.study.lens import Lens

_CELL, _PLAIN_WIDTH = 12, 120


def command(
    model: Model,
    prompt: Annotated[str, typer.Argument(metavar="PROMPT", help="The text that the model reads.")],
    answer: Annotated[
        str | None, typer.Option(metavar="TOKEN", help="A token to follow; by default the model's own answer.")
    ] = None,
    k: Annotated[int, typer.Option("-k", "--k", min=1, help="How many tokens a layer in JSON.")] = 5,
    decompose: Annotated[bool, typer.Option("--decompose", help="Take the logits of the output apart.")] = False,
    path: Annotated[
        int | None, typer.Option("--path", metavar="POSITION", help="Nearest rows of one position, layer by layer.")
    ] = None,
    bias: Annotated[
        bool, typer.Option("--bias", help="Biases of norm and head against log frequency (extra words).")
    ] = False,
    states: Annotated[
        Path | None, typer.Option(metavar="FILE.safetensors", help="Also write the states of --layer as a table.")
    ] = None,
    layer: Annotated[
        int | None, typer.Option(metavar="N", help="The layer that --states writes; by default the last.")
    ] = None,
    bos: Annotated[bool, typer.Option("--bos", help="Put BOS first, though the tokenizer would not.")] = False,
    device: Annotated[str, typer.Option(metavar="cpu|cuda", help="Where the model runs, always in float32.")] = "cpu",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Also write a report: .html, .json or .md.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Read every layer as though it were the last (logit lens).

    The answer is seen to appear.

    Needs the extra lens (torch and transformers). Never downloads. Memory: four bytes a parameter.
    """
    from armillary.cli.opening import open
    from armillary.cli.output import note, note_model, show
    from armillary.report.saving import checked_path
    from armillary.storage import output_path
    from armillary.study.files import check_spared

    target = checked_path(output) if output else None
    table = output_path(states, (".safetensors",), "a file that ends in .safetensors") if states else None
    study = open(model)
    check_spared(target, study)
    check_spared(table, study)
    note_model(study)
    found = study.lens(prompt, answer=answer, k=k, decompose=decompose, path=path, bias=bias, bos=bos, device=device)
    if target:
        found.report().save(target)
        note(f"{target}")
    if table:
        from armillary.formats import write_safetensors

        rows = found.model.states(prompt)
        written = write_safetensors(rows.table(rows.depth if layer is None else layer), table)
        note(f"states as a table, a row for each position: {written[0]}")
    show("lens", study, found, "\n\n".join([_text(found), *map(str, found.extras.values())]), json)


def _text(lens: Lens) -> str:
    from armillary.lens.logit_lens import EARLY

    framed = (
        ""
        if lens.model.framing.before
        else "This tokenizer adds no BOS: the first position is the prompt's own first token."
    )
    return "\n".join([lens.statement, "", *_grid(lens.found), "", *([framed] if framed else []), EARLY])


def _grid(found: LogitLens) -> list[str]:
    """The grid, layer 0 on top, the output as the last row; as many of the last positions as fit."""
    import shutil

    from armillary.cli.output import is_terminal

    width = shutil.get_terminal_size().columns if is_terminal() else _PLAIN_WIDTH
    room = max(1, (width - 40) // (_CELL + 1))
    first = max(0, len(found.tokens) - room)
    shown = range(first, len(found.tokens))
    ends = ["rank", "probability", "KL bits"]
    lines = [_line("layer", [found.tokens[i].text for i in shown], ends)]
    for layer in range(found.depth + 1):
        cells = [(found.named(layer, i)[0].text, float(found.top_probabilities[layer, i, 0])) for i in shown]
        name = "output" if layer == found.depth else str(layer)
        lines.append(_line(name, cells, _figures(found, layer)))
    if first:
        lines.append(f"The first {first} of {len(found.tokens)} positions do not fit; --json and -o have them all.")
    lines.append(f"Rank and probability are those of {found.answer.text} after the last token.")
    return lines


def _figures(found: LogitLens, layer: int) -> list[str]:
    from armillary.answer import count, number, percent

    kl = float(found.divergences[layer, -1])
    return [count(int(found.ranks[layer, -1])), percent(float(found.probabilities[layer, -1])), number(kl)]


def _line(name: str, cells: list[Any], ends: list[str]) -> str:
    from armillary.answer.columns import cell_width, cut
    from armillary.cli.output import paint

    def pad(cell: Any) -> str:
        text, share = cell if isinstance(cell, tuple) else (cell, None)
        text = cut(text, _CELL)
        padded = text + " " * (_CELL - cell_width(text))
        if share is None or share >= 0.1:
            return paint(padded, "accent") if share and share >= 0.5 else padded
        return paint(padded, "quiet")

    return f"{name:>6}  " + " ".join(pad(cell) for cell in cells) + " " + " ".join(f"{end:>11}" for end in ends)
