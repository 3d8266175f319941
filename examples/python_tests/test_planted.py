"""Each test fails: two have a planted leak, and the third could not have seen one."""
import assay

import private


def test_a_policy_that_leaks():
    assay.assert_private(private.ForgetsToLie, claim="eps=1", arms=2, horizon=4)


def test_a_total_that_leaks():
    assay.assert_private(private.total_with_little_noise, claim="eps=1", kind="mechanism")


def test_an_audit_of_few_runs():
    assay.assert_private(private.LastReward, claim="eps=1", see=1.2, arms=2, horizon=4, samples=300)
