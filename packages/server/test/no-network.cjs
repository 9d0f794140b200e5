// For NODE_OPTIONS: whoever connects to another machine is written down in the file that NO_NETWORK_LOG names, and refused.
const { appendFileSync } = require('node:fs');
const { Socket } = require('node:net');

const { connect } = Socket.prototype;
const nearby = ['localhost', '127.0.0.1', '::1', undefined];

Socket.prototype.connect = function (...args) {
  // As `net.connect` hands it on, or as it is called: options, a path, or a port and a host.
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  const { host, path } = typeof first === 'object' ? first : typeof second === 'string' ? { host: second } : {};
  if (path || nearby.includes(host)) return connect.apply(this, args);
  appendFileSync(process.env.NO_NETWORK_LOG, `${process.argv.join(' ')}: ${host}\n`);
  throw new Error(`A connection to ${host}, which nothing may make here`);
};
