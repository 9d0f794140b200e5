/** As in package.json; a test holds that it is. */
export const VERSION = '0.1.0';
