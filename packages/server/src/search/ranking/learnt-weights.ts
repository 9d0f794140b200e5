/** What counts of an item that may be an answer. Written by `npm run bench -- learning --write`; docs/search.md says what it is learnt from. */

import type { Judgements } from './features.ts';

export const judgements: Readonly<Record<'messages' | 'memories' | 'chunks', Judgements>> = {
  messages: {
    words: {
      weights: {
        ownWords: 2.47,
        passageWords: 1.65,
        rareWords: 1.3,
        speaker: 1.95,
        speakerInGroup: 0.6,
        asking: -1.02,
        time: 1.13,
        number: 0.35,
        role: 0.63,
        date: 0.17,
        nearby: 0.23,
      },
      calibration: {
        bias: -5.23,
        slope: 0.54,
        coverage: 0.52,
        similarity: 0,
      },
    },
    vectors: {
      weights: {
        ownWords: 1.31,
        passageWords: 1.43,
        ownVector: 0.79,
        passageVector: 2.44,
        rareWords: 0.87,
        speaker: 1.94,
        speakerInGroup: 0.6,
        asking: -0.99,
        time: 1.22,
        number: 0.19,
        answer: 1.45,
        role: 0.77,
        nearby: 1.04,
      },
      calibration: {
        bias: -6.32,
        slope: 0.68,
        coverage: 0.04,
        similarity: 0.33,
      },
    },
    tokens: {
      weights: {
        ownWords: 1.02,
        passageWords: 1.2,
        ownVector: 0.58,
        passageVector: 2.03,
        rareWords: 0.55,
        speaker: 1.83,
        speakerInGroup: 0.6,
        asking: -0.99,
        time: 1.1,
        number: 0.15,
        answer: 1.33,
        role: 0.74,
        nearby: 1,
        ownTokens: 1.74,
        passageTokens: 1.95,
      },
      calibration: {
        bias: -6.86,
        slope: 0.86,
        coverage: 0,
        similarity: 0.07,
      },
    },
  },
  memories: {
    words: {
      weights: {
        ownWords: 3.47,
        rareWords: 0.2,
        time: 1.29,
        number: 0.32,
      },
      calibration: {
        bias: -3.97,
        slope: 0.59,
        coverage: 1.04,
        similarity: 0,
      },
    },
    vectors: {
      weights: {
        ownWords: 1.26,
        ownVector: 4.67,
        rareWords: 0.09,
        time: 0.79,
        number: 0.16,
      },
      calibration: {
        bias: -5.66,
        slope: 0.5,
        coverage: 0,
        similarity: 1.19,
      },
    },
    tokens: {
      weights: {
        ownWords: 1.15,
        ownVector: 4.39,
        time: 0.78,
        number: 0.14,
        ownTokens: 1.61,
      },
      calibration: {
        bias: -5.81,
        slope: 0.61,
        coverage: 0,
        similarity: 0.91,
      },
    },
  },
  chunks: {
    words: {
      weights: { ownWords: 2.4, feedbackWords: 1.6, rareWords: 0.5 },
      calibration: { bias: -5.19, slope: 0.3, coverage: 1.35, similarity: 0 },
    },
    vectors: {
      weights: { ownWords: 1.2, feedbackWords: 0.8, ownVector: 2, rareWords: 0.5 },
      calibration: { bias: -6.7, slope: 1.04, coverage: 0.39, similarity: 0.94 },
    },
    tokens: {
      weights: { ownWords: 1.5, feedbackWords: 1.5, ownVector: 2, rareWords: 0.5, ownTokens: 6 },
      calibration: { bias: -6.7, slope: 1.04, coverage: 0.39, similarity: 0.94 },
    },
  },
};
