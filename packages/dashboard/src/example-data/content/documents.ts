/** Three short documents that the agents of the example answer from. */

export interface ExampleDocument {
  /** With the prefix, its own id in the workspace. */
  readonly id: string;
  readonly filename: string;
  readonly title: string;
  readonly topic: string;
  readonly text: string;
}

export const exampleDocuments: readonly ExampleDocument[] = [
  {
    id: 'delivery-terms',
    filename: 'delivery-terms.md',
    title: 'Delivery terms',
    topic: 'delivery',
    text: `# Delivery terms

Example data. Millhouse Supply is made up.

## When we deliver

Vans leave the store at four in the morning, from Monday to Saturday. A delivery window has one hour; the earliest begins at half past four.
Orders and changes reach us until noon of the day before. For Saturday that is Friday, also when Friday is a holiday.

## What it costs

Delivery is free from 150 euros on. Below that it costs 12 euros, whatever the distance. There is no charge for a second stop of the same customer.

## The van and the gate

The large van needs a gate of 2.8 metres, the small one 2.2 metres. Tell us the width once, and we send the right one.

## When something is broken

Write within two days, with a photo of the label. We send a replacement with the next delivery; what is broken need not come back.
`,
  },
  {
    id: 'allergen-statement',
    filename: 'allergen-statement.md',
    title: 'Allergen statement',
    topic: 'products',
    text: `# Allergen statement

Example data. Millhouse Supply is made up.

## Flour

Wheat, rye and spelt flour contain gluten. Buckwheat and rice flour are milled on a line of their own and hold less than 20 mg of gluten in a kilogram.

## Yeast

Fresh and dry yeast are free of nuts, milk and soy. The slow dry yeast for long cold proofs is packed in a room without nuts.

## Butter and fillings

Butter contains milk. Hazelnut and almond fillings contain nuts and are stored apart; their boxes carry a brown label.

## Questions

Every new product comes with its sheet in the first delivery. Older sheets are sent again on request.
`,
  },
  {
    id: 'storefront-conventions',
    filename: 'storefront-conventions.md',
    title: 'Storefront conventions',
    topic: 'code',
    text: `# Storefront conventions

Example data. Millhouse Supply is made up.

## Branches

Work happens on short branches. A release branch is cut every Monday evening and goes live on Tuesday after its tests have run on it once more.

## Commits

One reason for each commit. A fix begins with a test that fails without it.

## Money

Amounts are whole cents. VAT is rounded once for an order, never for a delivery; the rest of a division goes to the last delivery.

## Dependencies

A new one needs a word in the pull request on what it saves us. The queue is a table in PostgreSQL.
`,
  },
];
