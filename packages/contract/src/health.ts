import { z } from 'zod';

export const Readiness = z.object({ status: z.literal('ok') }).meta({ id: 'Health' });
export type Readiness = z.infer<typeof Readiness>;
