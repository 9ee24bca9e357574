// The peer of our IDA* on the 15-puzzle (goal 1..15, blank last): the same loops in plain C++, for comparison only.
//
// Reads boards from standard input, 16 numbers a line. Usage: ida_peer manhattan|walking|recursive
// Prints: boards, sum of lengths, nodes expanded, nodes generated, CPU seconds.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <vector>

static int distances[16][16], moves[16][4], counts[16], sources[16][4];
static long expanded = 0, generated = 0;

static void make_geometry() {
    for (int a = 0; a < 16; a++)
        for (int b = 0; b < 16; b++) distances[a][b] = a == 15 ? 0 : abs(a / 4 - b / 4) + abs(a % 4 - b % 4);
    for (int cell = 0; cell < 16; cell++) {
        const int near[4][2] = {{cell / 4 + 1, cell % 4}, {cell / 4 - 1, cell % 4}, {cell / 4, cell % 4 + 1}, {cell / 4, cell % 4 - 1}};
        for (int m = 0; m < 4; m++)
            if (near[m][0] >= 0 && near[m][0] < 4 && near[m][1] >= 0 && near[m][1] < 4) {
                sources[cell][m] = near[m][0] * 4 + near[m][1];
                moves[cell][counts[cell]++] = m;
            }
    }
}

// Walking distance: states of one axis, their distances, and the links by side and goal line.
static std::vector<uint8_t> walk;
static std::vector<std::array<uint16_t, 8>> links;
typedef std::array<int, 17> Axis;  // how many tiles of each goal line lie in each line, and the blank's line
static std::map<Axis, int> numbers;

static void make_walking() {
    Axis goal{};
    for (int line = 0; line < 4; line++) goal[line * 4 + line] = 4 - (line == 3);
    goal[16] = 3;
    std::vector<Axis> order{goal};
    numbers[goal] = 0;
    walk.push_back(0);
    for (size_t i = 0; i < order.size(); i++) {
        links.push_back({});
        for (int side = 0; side < 2; side++)
            for (int line = 0; line < 4; line++) {
                Axis next = order[i];
                const int blank = next[16], source = blank + (side == 0 ? 1 : -1);
                if (source < 0 || source > 3 || next[source * 4 + line] == 0) continue;
                next[source * 4 + line]--, next[blank * 4 + line]++, next[16] = source;
                auto found = numbers.find(next);
                if (found == numbers.end()) {
                    found = numbers.emplace(next, (int)order.size()).first;
                    order.push_back(next);
                    walk.push_back(walk[i] + 1);
                }
                links[i][4 * side + line] = found->second;
            }
    }
}

static int axis_of(const uint8_t* state, bool columns) {
    Axis axis{};
    for (int cell = 0; cell < 16; cell++) {
        const int line = columns ? cell % 4 : cell / 4;
        if (state[cell] == 15) axis[16] = line;
        else axis[line * 4 + (columns ? state[cell] % 4 : state[cell] / 4)]++;
    }
    return numbers.at(axis);
}

struct Manhattan {
    void begin(const uint8_t* state, int& value) {
        value = 0;
        for (int cell = 0; cell < 16; cell++) value += distances[state[cell]][cell];
    }
    int peek(int tile, int source, int blank, int, int value, int) { return value + distances[tile][blank] - distances[tile][source]; }
    void exchange(int) {}
};

struct Walking {
    int memo[2];
    int axes[128];
    int states[128];
    void begin(const uint8_t* state, int& value) {
        memo[0] = axis_of(state, false), memo[1] = axis_of(state, true);
        value = walk[memo[0]] + walk[memo[1]];
    }
    int peek(int tile, int, int, int move, int value, int depth) {
        const int axis = move >> 1, old = memo[axis];
        const int next = links[old][4 * (move & 1) + (axis ? tile % 4 : tile / 4)];
        axes[depth] = axis, states[depth] = next;
        return value + walk[next] - walk[old];
    }
    void exchange(int depth) { std::swap(memo[axes[depth]], states[depth]); }
};

template <class Estimate>
static int solve(uint8_t* state) {  // an explicit stack, as ours
    static Estimate estimate;
    static int cursors[128], sizes[128], path[128], values[128], rows[128][4];
    int value;
    estimate.begin(state, value);
    int bound = value;
    const int first = value;
    auto slide = [&](int move) {
        const int blank = state[16], source = sources[blank][move];
        state[blank] = state[source], state[source] = 15, state[16] = source;
    };
    while (true) {
        int depth = 0, next = 9999;
        values[0] = first, cursors[0] = 0, sizes[0] = counts[state[16]];
        for (int i = 0; i < 4; i++) rows[0][i] = moves[state[16]][i];
        while (true) {
            if (cursors[depth] == sizes[depth]) {
                if (depth == 0) break;
                depth--;
                slide(path[depth] ^ 1);
                estimate.exchange(depth);
                continue;
            }
            const int move = rows[depth][cursors[depth]++];
            generated++;
            const int blank = state[16], source = sources[blank][move], tile = state[source];
            value = estimate.peek(tile, source, blank, move, values[depth], depth);
            if (depth + 1 + value > bound) {
                next = std::min(next, depth + 1 + value);
                continue;
            }
            expanded++;
            slide(move);
            estimate.exchange(depth);
            path[depth] = move;
            values[++depth] = value;
            if (value == 0) return depth;
            int kept = 0;
            for (int i = 0; i < counts[state[16]]; i++)
                if (moves[state[16]][i] != (move ^ 1)) rows[depth][kept++] = moves[state[16]][i];
            sizes[depth] = kept, cursors[depth] = 0;
        }
        bound = next;
    }
}

static int limit, following;
static bool dive(uint8_t* state, int blank, int last, int depth, int value) {
    if (value == 0) return true;
    for (int i = 0; i < counts[blank]; i++) {
        const int move = moves[blank][i];
        if (move == last) continue;
        generated++;
        const int source = sources[blank][move], tile = state[source];
        const int after = value + distances[tile][blank] - distances[tile][source];
        if (depth + 1 + after > limit) {
            following = std::min(following, depth + 1 + after);
            continue;
        }
        expanded++;
        state[blank] = tile;
        if (dive(state, source, move ^ 1, depth + 1, after)) return true;
        state[source] = tile;
    }
    return false;
}

static int recursive(uint8_t* state) {
    int value;
    Manhattan().begin(state, value);
    for (limit = value;; limit = following) {
        following = 9999;
        if (dive(state, state[16], -1, 0, value)) return limit;
    }
}

int main(int, char** arguments) {
    make_geometry();
    make_walking();
    long boards = 0, length = 0;
    char line[4096];
    const clock_t began = clock();
    while (fgets(line, sizeof line, stdin)) {
        uint8_t state[17];
        char* at = line;
        for (int cell = 0; cell < 16; cell++) {
            const long tile = strtol(at, &at, 10);
            state[cell] = (tile + 15) % 16;
            if (tile == 0) state[16] = cell;
        }
        boards++;
        if (!strcmp(arguments[1], "walking")) length += solve<Walking>(state);
        else if (!strcmp(arguments[1], "recursive")) length += recursive(state);
        else length += solve<Manhattan>(state);
    }
    printf("%ld %ld %ld %ld %.6f\n", boards, length, expanded, generated, double(clock() - began) / CLOCKS_PER_SEC);
}
