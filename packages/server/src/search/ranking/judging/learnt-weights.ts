/** What counts of an item that may be an answer. Written by `npm run bench -- learning --write`; docs/search.md says what it is learnt from. */

import type { Judgements } from './features.ts';

export const judgements: Readonly<Record<'messages' | 'memories' | 'chunks', Judgements>> = {
  messages: {
    words: {
      weights: {
        ownWords: 2.61,
        passageWords: 1.64,
        rareWords: 1.29,
        speaker: 1.9,
        speakerInGroup: 0.6,
        asking: -1.03,
        time: 1.48,
        number: 0.37,
        role: 0.64,
        nearby: 0.25,
        date: 0.6,
      },
      calibration: {
        bias: -5.19,
        slope: 0.51,
        coverage: 0.52,
        similarity: 0,
      },
    },
    vectors: {
      weights: {
        ownWords: 1.8,
        passageWords: 1.36,
        ownVector: 0.6,
        passageVector: 2.3,
        rareWords: 0.95,
        speaker: 1.9,
        speakerInGroup: 0.6,
        asking: -0.89,
        time: 1.37,
        number: 0.28,
        answer: 1.4,
        role: 0.74,
        nearby: 1.02,
        date: 0.6,
      },
      calibration: {
        bias: -6.03,
        slope: 0.63,
        coverage: 0.04,
        similarity: 0.32,
      },
    },
    tokens: {
      weights: {
        ownWords: 1.62,
        passageWords: 1.18,
        ownVector: 0.43,
        passageVector: 1.93,
        rareWords: 0.73,
        speaker: 1.84,
        speakerInGroup: 0.6,
        asking: -0.87,
        time: 1.25,
        number: 0.25,
        answer: 1.28,
        role: 0.73,
        nearby: 1.02,
        ownTokens: 1.35,
        passageTokens: 1.63,
        date: 0.6,
      },
      calibration: {
        bias: -6.5,
        slope: 0.78,
        coverage: 0,
        similarity: 0.13,
      },
    },
  },
  memories: {
    words: {
      weights: {
        ownWords: 3.47,
        rareWords: 0.2,
        time: 1.3,
        number: 0.31,
      },
      calibration: {
        bias: -3.97,
        slope: 0.59,
        coverage: 1.03,
        similarity: 0,
      },
    },
    vectors: {
      weights: {
        ownWords: 1.25,
        ownVector: 4.67,
        rareWords: 0.09,
        time: 0.9,
        number: 0.15,
      },
      calibration: {
        bias: -5.68,
        slope: 0.5,
        coverage: 0,
        similarity: 1.2,
      },
    },
    tokens: {
      weights: {
        ownWords: 1.14,
        ownVector: 4.39,
        time: 0.9,
        number: 0.14,
        ownTokens: 1.61,
      },
      calibration: {
        bias: -5.83,
        slope: 0.61,
        coverage: 0,
        similarity: 0.92,
      },
    },
  },
  chunks: {
    words: {
      weights: {
        ownWords: 2.4,
        feedbackWords: 1.6,
        rareWords: 0.5,
      },
      calibration: {
        bias: -5.31,
        slope: 0.66,
        coverage: 1.02,
        similarity: 0,
      },
    },
    vectors: {
      weights: {
        ownWords: 1.2,
        feedbackWords: 0.8,
        ownVector: 2,
        rareWords: 0.5,
      },
      calibration: {
        bias: -6.58,
        slope: 0.97,
        coverage: 0.28,
        similarity: 1.15,
      },
    },
    tokens: {
      weights: {
        ownWords: 1.5,
        feedbackWords: 1.5,
        ownVector: 2,
        rareWords: 0.5,
        ownTokens: 6,
      },
      calibration: {
        bias: -7.82,
        slope: 0.95,
        coverage: 0,
        similarity: 0.22,
      },
    },
  },
};
