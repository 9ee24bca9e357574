// The IDA* of puzzlelab in plain C++, as a measure of its speed: 15-puzzle, goal 1 2 ... 15 0.
//
//   g++ -O3 -march=native -o ida_peer ida_peer.cpp && ./ida_peer manhattan|walking|recursive < boards
//
// Reads boards (16 numbers a line, row by row, 0 is the blank) and prints: boards, sum of solution lengths, nodes
// expanded, nodes generated, CPU seconds of the searches.
// `manhattan` and `walking` are the same loop over an explicit stack, with the same tables and the same order of moves,
// so that they visit exactly the nodes that puzzlelab visits. `recursive` is how one writes it by hand for Manhattan
// distance alone: the hardware's return stack keeps what the loop has to keep in arrays.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <time.h>
#include <vector>

namespace {

constexpr int SIDE = 4, CELLS = 16, HOME = 15, DEEPEST = 256;
constexpr int64_t NEVER = int64_t(1) << 40;

using Board = std::array<uint8_t, CELLS>;  // for each cell, the goal cell of the piece that lies there

// --- rules ---------------------------------------------------------------------------------------------------------

uint8_t source[CELLS * 4];    // the cell whose tile slides into the blank: U, D, L, R is the way the tile slides
uint64_t pending[CELLS * 8];  // what to try by the blank's cell and the last move (4: none), four bits a move + 1
int moves[CELLS][4], counts[CELLS];  // the same as lists, for the recursive search

void make_rules() {
    for (int cell = 0; cell < CELLS; cell++) {
        int row = cell / SIDE, column = cell % SIDE;
        int near[4][2] = {{row + 1, column}, {row - 1, column}, {row, column + 1}, {row, column - 1}};
        bool legal[4];
        for (int move = 0; move < 4; move++) {
            legal[move] = 0 <= near[move][0] && near[move][0] < SIDE && 0 <= near[move][1] && near[move][1] < SIDE;
            if (!legal[move]) continue;
            source[4 * cell + move] = uint8_t(near[move][0] * SIDE + near[move][1]);
            moves[cell][counts[cell]++] = move;
        }
        for (int last = 0; last < 5; last++) {
            int place = 0;
            for (int move = 0; move < 4; move++)
                if (legal[move] && (last == 4 || move != (last ^ 1)))
                    pending[8 * cell + last] |= uint64_t(move + 1) << (4 * place++);
        }
    }
}

// --- estimates: `begin` from scratch, `peek` after a move, `exchange` makes the move or takes it back ----------------

struct Manhattan {
    struct Delta {};
    uint8_t distance[CELLS * 64];

    Manhattan() {
        for (int piece = 0; piece < CELLS; piece++)
            for (int cell = 0; cell < CELLS; cell++)
                distance[64 * piece + cell] = uint8_t(
                    piece == HOME ? 0 : abs(piece / SIDE - cell / SIDE) + abs(piece % SIDE - cell % SIDE));
    }
    int64_t begin(const Board& state) {
        int64_t total = 0;
        for (int cell = 0; cell < CELLS; cell++) total += distance[64 * state[cell] + cell];
        return total;
    }
    int64_t peek(uint64_t piece, uint64_t from, uint64_t to, uint64_t, int64_t value, Delta&) const {
        return value + distance[64 * piece + to] - distance[64 * piece + from];
    }
    void exchange(Delta&) {}
};

// How many tiles of each goal line lie in each line, three bits a count, and the blank's line: a puzzle of its own.
struct Walking {
    struct Delta {
        uint64_t axis, state;
    };
    std::vector<uint16_t> links;    // [8 q + 4 s + l]: the state after a tile of goal line l moves into the blank from
                                    // the line after it (s = 0) or before it (s = 1)
    std::vector<uint8_t> distance;  // [q]
    std::map<uint64_t, uint16_t> index;
    uint8_t lines[2 * 64];
    uint64_t memo[2];

    Walking() {
        for (int cell = 0; cell < CELLS; cell++) {
            lines[cell] = uint8_t(cell / SIDE);
            lines[64 + cell] = uint8_t(cell % SIDE);
        }
        std::vector<uint64_t> order{code_of_goal()};
        index[order[0]] = 0;
        distance.push_back(0);
        for (size_t place = 0; place < order.size(); place++) {
            uint64_t code = order[place], blank = code & 3;
            for (uint64_t link = 0; link < 8; link++) {
                uint64_t from = blank + (link < 4 ? 1 : -1), goal = link & 3, next = 0;
                if (from < SIDE && ((code >> shift(from, goal)) & 7)) {
                    uint64_t after = code - (uint64_t(1) << shift(from, goal)) + (uint64_t(1) << shift(blank, goal));
                    after = (after & ~uint64_t(3)) | from;
                    auto found = index.emplace(after, uint16_t(order.size()));
                    if (found.second) order.push_back(after), distance.push_back(uint8_t(distance[place] + 1));
                    next = found.first->second;
                }
                links.push_back(uint16_t(next));
            }
        }
    }
    static uint64_t shift(uint64_t line, uint64_t goal) { return 2 + 3 * (line * SIDE + goal); }
    static uint64_t code_of_goal() {
        uint64_t code = SIDE - 1;
        for (uint64_t line = 0; line < SIDE; line++) code += uint64_t(SIDE - (line == SIDE - 1)) << shift(line, line);
        return code;
    }
    int64_t begin(const Board& state) {
        int64_t total = 0;
        for (int axis = 0; axis < 2; axis++) {
            uint64_t code = 0;
            for (int cell = 0; cell < CELLS; cell++) {
                uint64_t line = lines[64 * axis + cell];
                code += state[cell] == HOME ? line : uint64_t(1) << shift(line, lines[64 * axis + state[cell]]);
            }
            memo[axis] = index.at(code);
            total += distance[memo[axis]];
        }
        return total;
    }
    int64_t peek(uint64_t piece, uint64_t, uint64_t, uint64_t move, int64_t value, Delta& delta) const {
        uint64_t axis = move >> 1, old = memo[axis];
        uint64_t next = links[(old << 3) | ((move & 1) << 2) | lines[(axis << 6) | piece]];
        delta.axis = axis, delta.state = next;
        return value + distance[next] - distance[old];
    }
    void exchange(Delta& delta) { std::swap(memo[delta.axis], delta.state); }
};

// --- searches ------------------------------------------------------------------------------------------------------

int64_t expanded, generated;

// The length of a solution, after it was played.
int64_t played(Board state, const int32_t* path, uint64_t length) {
    uint64_t blank = uint64_t(std::find(state.begin(), state.end(), HOME) - state.begin());
    for (uint64_t i = 0; i < length; i++) {
        uint64_t from = source[4 * blank + uint64_t(path[i])];
        std::swap(state[blank], state[from]);
        blank = from;
    }
    if (!std::is_sorted(state.begin(), state.end())) fprintf(stderr, "a solution does not solve\n"), exit(1);
    return int64_t(length);
}

template <class Estimate>
int64_t loop(Estimate& estimate, const Board& board) {
    Board state = board;
    static uint64_t left_at[DEEPEST], blanks[DEEPEST];
    static int64_t values[DEEPEST];
    static int32_t path[DEEPEST];
    static typename Estimate::Delta delta[DEEPEST];
    uint64_t blank = uint64_t(std::find(state.begin(), state.end(), HOME) - state.begin());
    const uint64_t start = blank;
    const int64_t first = estimate.begin(state);
    if (first == 0) return 0;
    for (int64_t threshold = first, following = NEVER;; threshold = following, following = NEVER) {
        uint64_t depth = 0, left = pending[8 * start + 4];
        int64_t value = first;
        while (true) {
            if (left == 0) {
                if (depth == 0) break;
                depth--;
                estimate.exchange(delta[depth]);
                value = values[depth], left = left_at[depth];
                uint64_t before = blanks[depth];
                state[blank] = state[before], state[before] = HOME, blank = before;
                continue;
            }
            uint64_t move = (left & 15) - 1;
            left >>= 4;
            generated++;
            uint64_t from = source[4 * blank + move], piece = state[from];
            int64_t after = estimate.peek(piece, from, blank, move, value, delta[depth]);
            int64_t total = int64_t(depth) + 1 + after;
            if (total > threshold) {
                following = std::min(following, total);
                continue;
            }
            expanded++;
            path[depth] = int32_t(move), left_at[depth] = left, values[depth] = value, blanks[depth] = blank;
            estimate.exchange(delta[depth]);
            state[blank] = uint8_t(piece), state[from] = HOME, blank = from;
            depth++;
            value = after;
            if (value == 0) return played(board, path, depth);
            left = pending[8 * blank + move];
        }
    }
}

// By hand: all of it in global variables, so that the compiler sees that a write to the board changes nothing else.
uint8_t tiles[CELLS], distances[CELLS][CELLS];
int bound, next_bound;

bool descend(int blank, int back, int made, int value) {
    if (value == 0) return true;
    for (int i = 0; i < counts[blank]; i++) {
        int move = moves[blank][i];
        if (move == back) continue;
        generated++;
        int from = source[4 * blank + move], piece = tiles[from];
        int after = value + distances[piece][blank] - distances[piece][from];
        if (made + after > bound) {
            next_bound = std::min(next_bound, made + after);
            continue;
        }
        expanded++;
        tiles[blank] = uint8_t(piece);
        if (descend(from, move ^ 1, made + 1, after)) return true;
        tiles[from] = uint8_t(piece);
    }
    return false;
}

int64_t recursive(Manhattan& estimate, const Board& board) {
    const int blank = int(std::find(board.begin(), board.end(), HOME) - board.begin());
    const int never = 1 << 30, first = int(estimate.begin(board));
    for (int piece = 0; piece < CELLS; piece++)
        std::copy_n(estimate.distance + 64 * piece, CELLS, distances[piece]);
    std::copy(board.begin(), board.end(), tiles);
    bound = first, next_bound = never;
    while (!descend(blank, -1, 1, first)) bound = next_bound, next_bound = never;
    return bound;
}

double cpu_seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

template <class Search>
void measure(const std::vector<Board>& boards, Search search) {
    expanded = generated = 0;
    int64_t length = 0;
    double began = cpu_seconds();
    for (const Board& board : boards) length += search(board);
    double seconds = cpu_seconds() - began;
    printf("%zu %lld %lld %lld %.6f\n", boards.size(), static_cast<long long>(length),
           static_cast<long long>(expanded), static_cast<long long>(generated), seconds);
}

}  // namespace

int main(int count, char** arguments) {
    make_rules();
    std::vector<Board> boards;
    Board board;
    for (int tile, cell = 0; scanf("%d", &tile) == 1;) {
        if (tile < 0 || tile >= CELLS) return fprintf(stderr, "a tile is a number from 0 to 15\n"), 2;
        board[cell++] = uint8_t((tile + CELLS - 1) % CELLS);
        if (cell == CELLS) boards.push_back(board), cell = 0;
    }
    const char* variant = count == 2 ? arguments[1] : "";
    if (!strcmp(variant, "walking")) {
        Walking estimate;
        measure(boards, [&](const Board& each) { return loop(estimate, each); });
    } else if (Manhattan estimate; !strcmp(variant, "manhattan")) {
        measure(boards, [&](const Board& each) { return loop(estimate, each); });
    } else if (!strcmp(variant, "recursive")) {
        measure(boards, [&](const Board& each) { return recursive(estimate, each); });
    } else {
        return fprintf(stderr, "which search? manhattan, walking or recursive\n"), 2;
    }
}
