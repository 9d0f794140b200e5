/** The thread of the continuous backup. */
import { join } from 'node:path';
import { serveThread } from '../../threads/serve.ts';
import type { ShipperData, ShipperQuestions } from './protocol.ts';
import { Shipper } from './shipping.ts';
import { SPOOL_FOLDER } from './spool.ts';

serveThread<ShipperQuestions, ShipperData>((data) => {
  const shipper = new Shipper(data, join(data.dataDir, SPOOL_FOLDER));
  return {
    cut: (isDue, erases) => shipper.cut(isDue, erases),
    adopt: (task, reply) => shipper.adopt(task, reply),
    finish: async (limitMs) => ({ waitingSegments: await shipper.finish(limitMs), events: shipper.takeEvents() }),
  };
});
