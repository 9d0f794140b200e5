/** Loaded by `node --import` before the service: its machine's clock is wrong by TEST_DATE_AHEAD_MS. The monotonic clock is not. */
const aheadMs = Number(process.env.TEST_DATE_AHEAD_MS);
const RealDate = Date;
const now = () => RealDate.now() + aheadMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
