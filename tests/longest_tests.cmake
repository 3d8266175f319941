# What CTest starts with, so that no core is idle at the end while the other still has minutes to go; a
# clean build has no times of its own yet: those of the longest come before others, after all unit tests
# (tests/CMakeLists.txt). The tests with PROCESSORS run that many threads.
set_tests_properties(
  statistical/ThreePairs/Boundary.AClaimAtTheExactTruthIsConvictedAtMostEightTimesInTwoThousand/0
  statistical/ThreePairs/Boundary.AClaimAtTheExactTruthIsConvictedAtMostEightTimesInTwoThousand/1
  statistical/ThreePairs/Boundary.AClaimAtTheExactTruthIsConvictedAtMostEightTimesInTwoThousand/2
  statistical/ThreePairs/Validity.NoIntervalMissesTheTruthMoreOftenThanItsShareOfAlphaAllows/0
  statistical/ThreePairs/Validity.NoIntervalMissesTheTruthMoreOftenThanItsShareOfAlphaAllows/1
  statistical/ThreePairs/Validity.NoIntervalMissesTheTruthMoreOftenThanItsShareOfAlphaAllows/2
  statistical/DetectionValidity.BoundsExceedTheTruthNoMoreOftenThanTheirLevel
  PROPERTIES COST 200 PROCESSORS 2)
set_tests_properties(
  statistical/BlackBoxValidity.TargetsThatDriftAreRefutedAtMostAsOftenAsAlphaSays
  statistical/SideValidity.TargetsThatDriftRememberOrAnswerLateAreConvictedAtMostAsOftenAsAlphaSays
  cli/VerifyCommand.EveryClaimGetsTheVerdictItsRegistryExpects
  cli/Readme.AndItsPagesHaveCommandsThatPrintWhatIsShown
  cli/Pages.AreReadableOnATelephoneAndInTheDark
  PROPERTIES COST 100)
set_tests_properties(
  statistical/OneRunValidity.TargetsThatDriftOrAnswerLate
  statistical/BlackBoxValidity.ATrueClaimAtItsBoundaryIsRefutedAtMostAsOftenAsAlphaSays
  property/AccountOfAnyChain.AnswersInEveryFormatBetweenItsBounds
  cli/SimulateCommand.KilledAtAnyMomentAndResumedItGivesTheSameBytes
  cli/TimeBudgetOf.SizesThatCannotBeHeldNameTheirLimit
  PROPERTIES COST 40)
