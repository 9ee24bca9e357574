"""Boards that come with the package, by the name of their puzzle; made by its generator unless a source is named."""

from collections.abc import Mapping

from puzzlelab.core.puzzle import Example

BOARDS: Mapping[str, Mapping[str, Example]] = {
    "sudoku-9x9": {
        "easy": Example(
            ".54.8213..6...37943.16..2..2...7....693.1.547....4...9..9..78.24368...7..2856.41.",
            "41 clues in a symmetric pattern; no search is needed",
        ),
        "intermediate": Example(
            "7.193...6.5.2......6..4....1..3..29...........29..4..1....1..3......3.6.8...695.4",
            "26 clues in a symmetric pattern; no search is needed",
        ),
        "hard": Example(
            ".89......3..2..6.......87.........49....21.8.1.89.....2.6.5..7...1....5.....46...",
            "23 clues, made by climbing towards puzzles that need many guesses",
        ),
        "inkala": Example(
            "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..",
            "by Arto Inkala (2012), called the hardest by newspapers",
        ),
        "seventeen": Example(
            "........1.......2...3.45........16.3.7.......28...........76......82......5.....9",
            "17 clues, the fewest that there can be; of the list by Gordon Royle",
        ),
        "wikipedia": Example(
            "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9",
            "17 clues, made to be slow for a search that counts upwards",
        ),
        "many": Example(
            ".2....984..5..4..7...7.9...............97..138..4..5..5.3.427.12....7.45...1...9.",
            "28 clues, and 254 solutions",
        ),
    },
    "sudoku-9x9:diagonal": {
        "x": Example(
            "..36.57.....9.1...7.......496.....83.........48.....196.......5...5.7.....21.69..",
            "11 solutions without its diagonals; of pocketjoso/sudokuJS, issue 6",
        ),
    },
    "sudoku-9x9:diagonal:windoku": {
        "x": Example(
            ".......1.....2...3.........4....3.......5...6....1.........78......6........32...",
            "13 clues, of forum.enjoysudoku.com; both diagonals and four windows",
        ),
    },
    "sudoku-4x4": {
        "small": Example(
            ".1....4....23...",
            "four clues",
        ),
    },
    "sudoku-6x6": {
        "small": Example(
            "6...2.42.....4...35.3..2...6.......1",
            "boxes of two rows and three columns",
        ),
    },
    "sudoku-12x12": {
        "large": Example(
            ".6.C...A72..B......56.......46...13A.....1.3..5...1....2.6.478.5....1B..1..75A.C...2...9..71........"
            ".3B6....6A..3..B.8.....26....3........5...C.",
            "boxes of three rows and four columns",
        ),
    },
    "sudoku-16x16": {
        "large": Example(
            "..AE8....73....13G7.......A..4...F.B.3G..5..C.E9.6....C9B......7..G.21...A.E..64........2.1.D..3.E.."
            "6584G.....2....FG..36....9...4....98..B.5......81D....E..G.C...7.E5.F...A.1.59C........3...8...9.84."
            "3.D7...E17..32...E...B...A....1D...59..2..5...A..C.F.6.D",
            "boxes of four rows and columns",
        ),
    },
    "sudoku-25x25": {
        "large": Example(
            "...NMEJG..K.9.O.1L..7F.6..D.PON.M.AH.J.C.7B.F.I..3.EJG.B6F..8L.73..D.KN.A.M.1..4.3L8......C..JHP.D.."
            "....L..OK.B6.1F..A.2GJ..H.4C....AJ.L..579.1I.....OK.H....NG5.IE.1.....9...LE.8..7I1.H4BF.6.O..D2..MN"
            "PB9F76...L..O..A.2...H.....12..OKEPAHD...G...8.6B..9.M.5K2.N....I8.7..C..34....8.G7.6.MA..........J."
            "4C.E..L.OJ.7...2N5MA...1K...5.......OCH9..F4.BL.....G.JH.9BI3..4.K..EO..M..I.F...AJ.2.96.HN...7.8.DP"
            "NP....E.68..K.J.....L7GHI.A69DM7....38.N..H..4O.E.1..8..4..G..7CP.A.26.....LM7..O..I.1.5..J3E...6..A"
            "DH.O.A...K.C..E7.8B....LF..EJ.LB6F3.12.4D....5.NA.G2...J9.N.P...DL.4..63.7BB74.1G...O6.3FL52....E9.C"
            "6FL...8I.1..BN...JG9O2H.D",
            "boxes of five rows and columns",
        ),
        "hard": Example(
            "EC......A52..71..G.4.......B..9.46.IL.CFODK1.E.JMGL.D...H3I...6....E.....244.GJ.1DO.8P.K.AB......396"
            ".A..1.FE.CGO94DJ..I.85H...1..7F.....J...4CO2I..L..G....N.1O9..I.C..D..M..H8...6....KG.1.D.5LFJ.C.N.."
            "9K....L.D..8P5..ANHB.GE...L.C.JB.......4..P..D6.I.C.N.IPM...F.8BH.O..731D528J.LF..NH.D............E."
            "..O..53..1.IL.G..84.7...H......CG2....P.LM.N..8.F.1.5.AB86...E..3F....GO..........P..4..GI7.3.C2E68L"
            "F..I.EK..O.P3L......A....B.43.M..5.K.OJ9HP...FCI...7.P....135...NDGM.OHB..K52..6A7..LBDHF....EJ..9P."
            "...8N7.ACP6.4.L.........E7.F.G.IK..1B......C.4H5.D...1O6..F......G.J..97.....6.BD593MC..A.N.H...F1.."
            ".3.5..1.GJ..F.8.I.O6..MN.",
            "289 clues, and a long search for those that learn nothing on the way",
        ),
    },
}


def of(name: str) -> Mapping[str, Example]:
    """Return the examples of the puzzle with this name."""
    return BOARDS.get(name, {})
