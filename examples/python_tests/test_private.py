"""Each test passes: what we run is as private as we say."""
import assay

import private


def test_the_policy_is_private():
    assay.assert_private(private.LastReward, claim="eps=1", arms=2, horizon=4)


def test_the_total_is_private():
    assay.assert_private(private.total, claim="eps=1", kind="mechanism")


def test_with_the_settings_of_pytest(assay_audit):
    report = assay_audit(private.LastReward, claim="eps=1", arms=2, horizon=4)
    assert report.eps.lower <= 1
