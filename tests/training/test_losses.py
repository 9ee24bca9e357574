"""Losses of values and policies, by numbers that can be worked out by hand."""

from math import log

import pytest

pytest.importorskip("torch")

import torch

from puzzlelab.training.losses import policy_loss, search_policy_loss, value_loss


def test_the_softmax_loss_counts_possible_moves_alone_and_all_wanted_ones_as_right() -> None:
    scores = torch.zeros(1, 4)
    wanted, possible = torch.tensor([[True, True, False, False]]), torch.tensor([[True, True, True, False]])
    assert policy_loss(scores, wanted, possible, "softmax").item() == pytest.approx(-log(2 / 3))


def test_the_binary_loss_counts_every_move_for_itself() -> None:
    scores = torch.tensor([[0.0, 0.0, -100.0, 100.0]])
    wanted = torch.tensor([[True, False, False, True]])
    assert policy_loss(scores, wanted, wanted, "binary").item() == pytest.approx(2 * log(2) / 4)


def test_distances_of_remaining_moves() -> None:
    predicted, target = torch.tensor([1.0, 5.0]), torch.tensor([1.0, 2.0])
    assert value_loss(predicted, target, "squared").item() == pytest.approx(4.5)
    assert value_loss(predicted, target, "huber").item() == pytest.approx(2.5 / 2)


@pytest.mark.parametrize("policy", ["softmax", "binary", "cells"])
def test_gradients_of_losses_of_moves_are_the_numerical_ones(policy) -> None:
    scores = torch.randn(3, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0), requires_grad=True)
    wanted = torch.tensor([[1, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1], [0, 0, 1, 1, 0, 0]], dtype=torch.bool)
    possible = wanted | torch.tensor([[0, 1, 0, 1, 0, 0], [1, 0, 1, 0, 1, 0], [1, 0, 0, 0, 0, 1]], dtype=torch.bool)
    assert torch.autograd.gradcheck(lambda found: policy_loss(found, wanted, possible, policy, digits=3), scores)
    shares = torch.rand(3, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    named = torch.tensor([[0, 0, 2, 3, -1, 5], [0, 1, 1, 1, 4, 5], [-1, 1, 2, 2, 4, 4]])
    assert torch.autograd.gradcheck(lambda found: search_policy_loss(found, shares, named), scores)


@pytest.mark.parametrize("distance", ["squared", "huber"])
def test_gradients_of_losses_of_values_are_the_numerical_ones(distance) -> None:
    found = torch.tensor([0.3, 2.5, -4.0], dtype=torch.float64, requires_grad=True)
    wanted, weights = torch.tensor([0.0, 5.0, -4.2]).double(), torch.tensor([1.0, 0.5, 2.0]).double()
    assert torch.autograd.gradcheck(lambda each: value_loss(each, wanted, distance, weights), found)
