"""The names of all techniques. A kernel writes the number of a technique, people read its name."""

from __future__ import annotations

from enum import IntEnum, auto


class Technique(IntEnum):
    """A technique; the order is that of families, not of difficulty."""

    FULL_HOUSE = 0
    HIDDEN_SINGLE = auto()
    NAKED_SINGLE = auto()
    POINTING = auto()
    CLAIMING = auto()
    LOCKED_PAIR = auto()
    LOCKED_TRIPLE = auto()
    NAKED_PAIR = auto()
    NAKED_TRIPLE = auto()
    NAKED_QUADRUPLE = auto()
    HIDDEN_PAIR = auto()
    HIDDEN_TRIPLE = auto()
    HIDDEN_QUADRUPLE = auto()
    DIRECT_POINTING = auto()
    DIRECT_CLAIMING = auto()
    DIRECT_HIDDEN_PAIR = auto()
    DIRECT_HIDDEN_TRIPLE = auto()
    X_WING = auto()
    SWORDFISH = auto()
    JELLYFISH = auto()
    FINNED_X_WING = auto()
    FINNED_SWORDFISH = auto()
    FINNED_JELLYFISH = auto()
    SASHIMI_X_WING = auto()
    SASHIMI_SWORDFISH = auto()
    SASHIMI_JELLYFISH = auto()
    FRANKEN_X_WING = auto()
    FRANKEN_SWORDFISH = auto()
    FRANKEN_JELLYFISH = auto()
    FINNED_FRANKEN_X_WING = auto()
    FINNED_FRANKEN_SWORDFISH = auto()
    FINNED_FRANKEN_JELLYFISH = auto()
    MUTANT_X_WING = auto()
    MUTANT_SWORDFISH = auto()
    MUTANT_JELLYFISH = auto()
    FINNED_MUTANT_X_WING = auto()
    FINNED_MUTANT_SWORDFISH = auto()
    FINNED_MUTANT_JELLYFISH = auto()
    SKYSCRAPER = auto()
    TWO_STRING_KITE = auto()
    TURBOT_FISH = auto()
    EMPTY_RECTANGLE = auto()
    DUAL_TWO_STRING_KITE = auto()
    DUAL_EMPTY_RECTANGLE = auto()
    SIMPLE_COLOURS_TRAP = auto()
    SIMPLE_COLOURS_WRAP = auto()
    MULTI_COLOURS_1 = auto()
    MULTI_COLOURS_2 = auto()
    XY_WING = auto()
    XYZ_WING = auto()
    W_WING = auto()
    WXYZ_WING = auto()
    VWXYZ_WING = auto()
    UVWXYZ_WING = auto()
    TUVWXYZ_WING = auto()
    STRONG_LINKS = auto()
    REMOTE_PAIR = auto()
    UNIQUE_RECTANGLE_1 = auto()
    UNIQUE_RECTANGLE_2 = auto()
    UNIQUE_RECTANGLE_3 = auto()
    UNIQUE_RECTANGLE_4 = auto()
    UNIQUE_RECTANGLE_5 = auto()
    UNIQUE_RECTANGLE_6 = auto()
    HIDDEN_RECTANGLE = auto()
    AVOIDABLE_RECTANGLE_1 = auto()
    AVOIDABLE_RECTANGLE_2 = auto()
    UNIQUE_LOOP_1 = auto()
    UNIQUE_LOOP_2 = auto()
    UNIQUE_LOOP_3 = auto()
    UNIQUE_LOOP_4 = auto()
    BUG_1 = auto()
    BUG_2 = auto()
    BUG_3 = auto()
    BUG_4 = auto()
    ALIGNED_PAIR = auto()
    X_CHAIN = auto()
    XY_CHAIN = auto()
    AIC = auto()
    CONTINUOUS_NICE_LOOP = auto()
    DISCONTINUOUS_NICE_LOOP = auto()
    GROUPED_AIC = auto()
    GROUPED_CONTINUOUS_NICE_LOOP = auto()
    GROUPED_DISCONTINUOUS_NICE_LOOP = auto()
    ALS_XZ = auto()
    ALS_XY_WING = auto()
    ALS_CHAIN = auto()
    DEATH_BLOSSOM = auto()
    SUE_DE_COQ = auto()
    TEMPLATE_SET = auto()
    TEMPLATE_DELETE = auto()
    X_CYCLE = auto()
    Y_CYCLE = auto()
    XY_CYCLE = auto()
    FORCING_X_CHAIN = auto()
    FORCING_CHAIN = auto()
    NISHIO = auto()
    CELL_FORCING_CHAIN = auto()
    REGION_FORCING_CHAIN = auto()
    CONTRADICTION_FORCING_CHAIN = auto()
    DOUBLE_FORCING_CHAIN = auto()
    DYNAMIC_CELL_FORCING_CHAIN = auto()
    DYNAMIC_REGION_FORCING_CHAIN = auto()
    DYNAMIC_CONTRADICTION_FORCING_CHAIN = auto()
    DYNAMIC_DOUBLE_FORCING_CHAIN = auto()
    NESTED_CELL_FORCING_CHAIN = auto()
    NESTED_REGION_FORCING_CHAIN = auto()
    NESTED_CONTRADICTION_FORCING_CHAIN = auto()
    NESTED_DOUBLE_FORCING_CHAIN = auto()
    MUTANT_SQUIRMBAG = auto()
    MUTANT_WHALE = auto()
    FINNED_MUTANT_SQUIRMBAG = auto()
    FINNED_MUTANT_WHALE = auto()
    DYNAMIC_PLUS_CELL_FORCING_CHAIN = auto()
    DYNAMIC_PLUS_REGION_FORCING_CHAIN = auto()
    DYNAMIC_PLUS_CONTRADICTION_FORCING_CHAIN = auto()
    DYNAMIC_PLUS_DOUBLE_FORCING_CHAIN = auto()

    @property
    def label(self) -> str:
        """The name in the form of options, such as `hidden-single`."""
        return self.name.lower().replace("_", "-")

    @property
    def title(self) -> str:
        """The name in a sentence, such as `hidden single` or `XY-wing`."""
        return TITLES.get(self, self.name.lower().replace("_", " "))

    @property
    def assumes_unique(self) -> bool:
        """Whether its steps rest on the assumption that the board has one solution."""
        return Technique.UNIQUE_RECTANGLE_1 <= self <= Technique.BUG_4


TITLES = {
    Technique.X_WING: "X-wing",
    Technique.FINNED_X_WING: "finned X-wing",
    Technique.SASHIMI_X_WING: "sashimi X-wing",
    Technique.FRANKEN_X_WING: "franken X-wing",
    Technique.FINNED_FRANKEN_X_WING: "finned franken X-wing",
    Technique.MUTANT_X_WING: "mutant X-wing",
    Technique.FINNED_MUTANT_X_WING: "finned mutant X-wing",
    Technique.TWO_STRING_KITE: "two-string kite",
    Technique.DUAL_TWO_STRING_KITE: "dual two-string kite",
    Technique.BUG_1: "BUG+1",
    Technique.BUG_2: "BUG type 2",
    Technique.BUG_3: "BUG type 3",
    Technique.BUG_4: "BUG type 4",
    Technique.ALIGNED_PAIR: "aligned pair exclusion",
    Technique.XY_WING: "XY-wing",
    Technique.XYZ_WING: "XYZ-wing",
    Technique.W_WING: "W-wing",
    Technique.WXYZ_WING: "WXYZ-wing",
    Technique.VWXYZ_WING: "VWXYZ-wing",
    Technique.UVWXYZ_WING: "UVWXYZ-wing",
    Technique.TUVWXYZ_WING: "TUVWXYZ-wing",
    Technique.X_CHAIN: "X-chain",
    Technique.XY_CHAIN: "XY-chain",
    Technique.AIC: "alternating inference chain",
    Technique.GROUPED_AIC: "grouped alternating inference chain",
    Technique.ALS_XZ: "ALS-XZ",
    Technique.ALS_XY_WING: "ALS-XY-wing",
    Technique.ALS_CHAIN: "ALS chain",
    Technique.SUE_DE_COQ: "Sue de Coq",
    Technique.X_CYCLE: "X-cycle",
    Technique.Y_CYCLE: "Y-cycle",
    Technique.XY_CYCLE: "XY-cycle",
    Technique.FORCING_X_CHAIN: "forcing X-chain",
    Technique.NISHIO: "Nishio forcing chain",
    Technique.DYNAMIC_PLUS_CELL_FORCING_CHAIN: "dynamic cell forcing chain (+)",
    Technique.DYNAMIC_PLUS_REGION_FORCING_CHAIN: "dynamic region forcing chain (+)",
    Technique.DYNAMIC_PLUS_CONTRADICTION_FORCING_CHAIN: "dynamic contradiction forcing chain (+)",
    Technique.DYNAMIC_PLUS_DOUBLE_FORCING_CHAIN: "dynamic double forcing chain (+)",
}
"""Names that are no plain words."""
