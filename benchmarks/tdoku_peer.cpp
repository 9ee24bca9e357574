// tdoku (github.com/t-dillon/tdoku) on a file of Sudokus, as a measure of `bands`. In a checkout of tdoku:
//
//   clang++ -std=c++14 -O3 -march=native -Iinclude PUZZLELAB/benchmarks/tdoku_peer.cpp \
//       src/solver_dpll_triad_simd.cc src/util.cc -o tdoku
//
// `tdoku FILE` reads 81 characters a line ('.' or '0' for a blank), counts up to two solutions of each, and prints:
// CPU seconds of the searches, boards, solutions, guesses.

#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>

#include "tdoku.h"

int main(int count, char **arguments) {
    if (count != 2) {
        std::fprintf(stderr, "usage: tdoku FILE\n");
        return 2;
    }
    std::ifstream file(arguments[1]);
    std::string line, boards;
    while (std::getline(file, line)) {
        if (line.size() < 81) continue;
        line.resize(81);
        for (char &cell : line)
            if (cell == '0') cell = '.';
        boards += line + '\n';  // a line break after the 81 characters tells tdoku that they are all
    }
    const size_t number = boards.size() / 82;
    boards.resize(boards.size() + 64);  // room for reading whole vectors
    size_t solutions = 0, guesses = 0;
    const std::clock_t began = std::clock();
    for (size_t i = 0; i < number; i++) {
        char solution[81];
        size_t of_board = 0;
        solutions += SolveSudoku(&boards[i * 82], 2, 0, solution, &of_board);
        guesses += of_board;
    }
    std::printf("%.6f %zu %zu %zu\n", double(std::clock() - began) / CLOCKS_PER_SEC, number, solutions, guesses);
}
