/** What counts of an item that may be an answer. Written by `npm run bench -- learning --write`; docs/search.md says what it is learnt from. */

import type { Judgements } from './features.ts';

export const judgements: Readonly<Record<'messages' | 'memories' | 'chunks', Judgements>> = {
  "messages": {
    "words": {
      "weights": {
        "ownWords": 2.6,
        "passageWords": 1.63,
        "rareWords": 1.3,
        "speaker": 1.96,
        "speakerInGroup": 0.6,
        "asking": -1.01,
        "time": 1.1,
        "number": 0.35,
        "role": 0.62,
        "date": 0.17,
        "nearby": 0.25
      },
      "calibration": {
        "bias": -5.25,
        "slope": 0.54,
        "coverage": 0.52,
        "similarity": 0
      }
    },
    "vectors": {
      "weights": {
        "ownWords": 1.81,
        "passageWords": 1.36,
        "ownVector": 0.61,
        "passageVector": 2.29,
        "rareWords": 0.95,
        "speaker": 1.9,
        "speakerInGroup": 0.6,
        "asking": -0.89,
        "time": 1.1,
        "number": 0.25,
        "answer": 1.42,
        "role": 0.74,
        "nearby": 1.03
      },
      "calibration": {
        "bias": -6.11,
        "slope": 0.65,
        "coverage": 0.04,
        "similarity": 0.31
      }
    },
    "tokens": {
      "weights": {
        "ownWords": 1.62,
        "passageWords": 1.18,
        "ownVector": 0.44,
        "passageVector": 1.92,
        "rareWords": 0.73,
        "speaker": 1.84,
        "speakerInGroup": 0.6,
        "asking": -0.88,
        "time": 1.02,
        "number": 0.21,
        "answer": 1.31,
        "role": 0.73,
        "nearby": 1.03,
        "ownTokens": 1.38,
        "passageTokens": 1.64
      },
      "calibration": {
        "bias": -6.56,
        "slope": 0.8,
        "coverage": 0,
        "similarity": 0.11
      }
    }
  },
  "memories": {
    "words": {
      "weights": {
        "ownWords": 3.47,
        "rareWords": 0.2,
        "time": 1.29,
        "number": 0.32
      },
      "calibration": {
        "bias": -3.97,
        "slope": 0.59,
        "coverage": 1.04,
        "similarity": 0
      }
    },
    "vectors": {
      "weights": {
        "ownWords": 1.26,
        "ownVector": 4.67,
        "rareWords": 0.09,
        "time": 0.79,
        "number": 0.16
      },
      "calibration": {
        "bias": -5.66,
        "slope": 0.5,
        "coverage": 0,
        "similarity": 1.19
      }
    },
    "tokens": {
      "weights": {
        "ownWords": 1.05,
        "ownVector": 4.21,
        "time": 0.79,
        "number": 0.13,
        "ownTokens": 1.37,
        "passageTokens": 1.37
      },
      "calibration": {
        "bias": -5.95,
        "slope": 0.69,
        "coverage": 0,
        "similarity": 0.74
      }
    }
  },
  "chunks": {
    "words": {
      "weights": {
        "ownWords": 4,
        "rareWords": 0.5
      },
      "calibration": {
        "bias": -5.19,
        "slope": 0.3,
        "coverage": 1.35,
        "similarity": 0
      }
    },
    "vectors": {
      "weights": {
        "ownWords": 2,
        "ownVector": 2,
        "rareWords": 0.5
      },
      "calibration": {
        "bias": -6.7,
        "slope": 1.04,
        "coverage": 0.39,
        "similarity": 0.94
      }
    },
    "tokens": {
      "weights": {
        "ownWords": 2,
        "ownVector": 2,
        "rareWords": 0.5,
        "ownTokens": 3
      },
      "calibration": {
        "bias": -4,
        "slope": 0.5,
        "coverage": 1,
        "similarity": 1
      }
    }
  }
};
