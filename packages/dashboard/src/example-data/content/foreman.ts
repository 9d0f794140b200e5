/** The developers of the storefront of Millhouse Supply, which is made up, work with a coding agent. */
import type { ExampleSession } from './sessions.ts';

export const foremanSessions: readonly ExampleSession[] = [
  {
    id: 'vat-split-pallets',
    title: 'VAT is off by a cent on split pallets',
    labels: { repo: 'storefront', branch: 'fix-vat-rounding' },
    hoursAgo: 147,
    messages: [
      ['user', 0, 'The VAT of an order is off by a cent when a pallet is split over two deliveries. I work on the storefront repository.'],
      ['assistant', 1, 'I see where: each delivery is rounded on its own, and the sum is not. Shall I write a failing test first?'],
      ['user', 1, 'Yes. I always want a failing test before a fix, and small commits with one reason each.'],
      ['assistant', 6, 'There is a test now with three sacks over two deliveries. It fails with 4.21 in place of 4.22.'],
      ['user', 2, 'Good. We decided to round once per order, and to give the rest to the last delivery.'],
      ['assistant', 8, 'Done in two commits: the rounding, and the note in the invoice template. All 412 tests pass.'],
      ['user', 3, 'Our tests run on the Tuesday release branch too, so open the pull request against that one.'],
      ['assistant', 1, 'The pull request is open against the release branch of Tuesday.'],
    ],
  },
  {
    id: 'price-list-queue',
    title: 'Move the price list import to a queue',
    labels: { repo: 'backoffice', branch: 'price-list-queue' },
    hoursAgo: 27,
    messages: [
      ['user', 0, 'We are moving the price list import to a queue this week. A list has 40,000 rows, and the request times out.'],
      [
        'assistant',
        2,
        'I would keep the upload as it is and put one job on the queue for 500 rows. Is there a queue in the project already?',
      ],
      ['user', 1, 'We use the table in PostgreSQL, no extra service. I do not want a new dependency for this.'],
      ['assistant', 9, 'Then a worker takes rows with skip locked. The page shows how many rows are done, from the same table.'],
      ['user', 2, 'I am out on Friday, Tomasz stands in for me and reviews it.'],
      ['assistant', 1, 'I ask Tomasz for the review, and leave a note on what is still open.'],
    ],
    memories: [{ kind: 'fact', content: 'The price list of Millhouse Supply has about 40,000 rows' }],
  },
];
