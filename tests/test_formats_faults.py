"""Every numbered item of the list of faults (docs/formats.md, "What goes wrong in files") has its tests, by name."""

from __future__ import annotations

import ast
import re
import tracemalloc
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from armillary.formats import open_table
from armillary.geometry import first_pass
from armillary.scan import nearest
from armillary.study import open as open_study

TESTS = Path(__file__).parent

ITEMS: dict[int, tuple[str, ...]] = {
    1: ("text::words_survive_to_the_byte", "text::separators_are_space_and_tab_and_one_may_trail",
        "text::a_control_character_in_a_word_does_not_make_a_text_binary"),
    2: ("text::header_or_not",),
    3: ("text::binary_with_and_without_newlines", "text::a_space_inside_a_binary_word_is_never_read_as_garbage",
        "text::binary_cut_or_miscounted", "text::a_real_binary_of_gensim"),
    4: ("text::faults_are_named_with_their_line", "doors::archives_that_are_cut_nested_or_bombs", "doors::gzip_and_zip_of_text"),
    5: ("text::duplicates_keep_every_row_and_the_mark_is_dropped",),
    6: ("doors::fasttext_words_are_means_with_their_ngrams", "doors::supervised_fasttext_opens_with_its_labels_apart",
        "doors::fasttext_ngrams_hash_as_in_gensim"),
    7: ("safetensors::bfloat16_is_the_upper_half_of_a_float32", "safetensors::8_bit_floats",
        "safetensors::8_bit_floats_as_torch_reads_them", "safetensors::hostile_headers"),
    8: ("safetensors::three_messages_for_a_missing_tensor", "safetensors::only_the_shard_with_the_table_is_needed",
        "safetensors::shards_open_from_folder_and_from_index"),
    9: ("safetensors::ties", "safetensors::roles", "safetensors::the_table_is_found_by_name"),
    10: ("safetensors::what_is_written_opens_again_here_and_elsewhere", "safetensors::a_failed_write_leaves_the_old_file"),
    11: ("safetensors::more_rows_than_tokens_holes_and_tokens_without_a_row", "gguf_table::more_rows_than_tokens_and_the_reverse",
         "tokens::ids_are_joined_and_holes_and_padding_told_apart", "tokens::byte_level_tokens_have_bytes_display_and_own_name"),
    12: ("tokens::byte_level_tokens_have_bytes_display_and_own_name", "tokens::a_byte_is_a_byte_only_if_its_type_says_so",
         "tokens::bert_gets_its_own_names_back", "tokens::runs_of_spaces_are_literal_spaces",
         "tokens::a_tokenizer_that_pads_and_cuts_does_neither", "vocabularies::texts_encode_to_the_expected_ids"),
    13: ("gguf::versions_and_byte_orders_read_the_same", "gguf::hostile_headers_are_named", "gguf::every_cut_of_a_file_is_refused",
         "tokens::invalid_utf8_tokens_stay_bytes", "real::gemma_header_facts", "real::opening_262144_tokens_takes_well_under_a_second"),
    14: ("gguf::types_without_a_decoder_are_refused_by_name", "gguf::block_types_decode_as_the_reference_package_does",
         "gguf_table::a_missing_output_means_tied", "gguf::split_files_read_all_headers_first"),
    15: ("arrays::npy_types_and_orders", "arrays::npy_that_is_no_table", "arrays::npz_members", "arrays::npz_members_that_lie",
         "arrays::an_npz_bomb_is_refused_before_it_is_unpacked", "doors::lists_that_are_no_rows"),
    16: ("arrays::files_are_never_changed", "arrays::blocks_of_every_size_give_the_same_rows", "arrays::no_row",
         "table::float16_norms_do_not_overflow", "table::no_row_one_row_one_column",
         "scan_nearest::a_query_is_exact_under_every_metric"),
    17: ("faults::no_copy_of_the_table_is_kept",),
}  # fmt: skip


@cache
def names(file: str) -> set[str]:
    tree = ast.parse(
        next(p for p in (TESTS / f"test_formats_{file}.py", TESTS / f"test_{file}.py") if p.exists()).read_text()
    )
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("item", ITEMS)
def test_the_tests_of_an_item_are_there(item: int) -> None:
    for test in ITEMS[item]:
        file, name = test.split("::")
        assert f"test_{name}" in names(file), test


def test_the_page_lists_the_same_items() -> None:
    page = (TESTS.parent / "docs" / "formats.md").read_text("utf-8")
    section = page.partition("## What goes wrong in files")[2].partition("\n## ")[0]
    assert [int(n) for n in re.findall(r"^\| (\d+) \|", section, re.M)] == list(ITEMS)


# 17. one block at a time
@pytest.mark.long
def test_no_copy_of_the_table_is_kept(tmp_path: Path) -> None:
    """Neighbours, row facts and the pass of the isotropy measures over a mapped table of 61 MB."""
    np.save(tmp_path / "rows.npy", np.random.default_rng(0).standard_normal((60_000, 256), dtype=np.float32))
    table = open_table(tmp_path / "rows.npy")
    size = 4 * 60_000 * 256
    query = table.rows([0])
    for work in (
        lambda: nearest(table.vectors, query, k=10),
        lambda: table.row_facts,
        lambda: first_pass(open_study(table).code),
    ):
        tracemalloc.start()
        work()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 0.6 * size
