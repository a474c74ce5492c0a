import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { h, render, type ComponentChildren, type ComponentType } from 'preact';
import { smallDocument } from '../support/small-document.js';

/** The page is no part of this compilation: it is made for browsers. */
async function partOfPage<T>(path: string): Promise<T> {
  return (await import(`../../page/src/${path}`)) as T;
}

const browser = globalThis as unknown as Record<string, unknown>;
const lent = {
  document: smallDocument,
  location: { hash: '#/tasks' },
  scrollY: 0,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
};
beforeAll(() => void Object.assign(browser, lent));
afterAll(() => {
  for (const name of Object.keys(lent)) delete browser[name];
});

function drawing() {
  const root = smallDocument.createElement('main');
  const draw = (what: ComponentChildren) => render(what, root as never);
  return { root, draw };
}

async function until(isSo: () => boolean): Promise<void> {
  for (const endsAt = Date.now() + 10_000; !isSo();) {
    if (Date.now() > endsAt) throw new Error('it did not come to that');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('What cannot be drawn', () => {
  it('says so, and is drawn again once it is given anew', async () => {
    const { Boundary } = await partOfPage<{ Boundary: ComponentType<{ what: string }> }>('parts/boundary.js');
    const Fragile = ({ value }: { value: string }) => {
      if (value === 'bad') throw new Error('no way');
      return h('p', null, value);
    };
    const { root, draw } = drawing();
    const show = (value: string) => draw(h(Boundary, { what: 'Log' }, h(Fragile, { value })));
    show('good');
    expect(root.textContent).toBe('good');
    show('bad');
    await until(() => root.textContent !== 'good');
    expect(root.textContent).toBe('Log cannot be shown.no way');
    show('better');
    await until(() => root.textContent === 'better');
  });
});

describe('The tasks of a view', () => {
  interface View {
    readonly [name: string]: unknown;
  }
  const empty: View = { state: [], queue: [], job: [], text: '', error: '', isOldestFirst: false };

  async function lists(left: unknown) {
    const { PageContext } = await partOfPage<{
      PageContext: { Provider: ComponentType<{ value: unknown }> };
    }>('core/page-parts.js');
    const { useTaskPages } = await partOfPage<{
      useTaskPages: (view: View, isFast: boolean) => { rows: readonly { id: string }[] };
    }>('tasks/use-task-pages.js');
    const asked: { text: string; answer: (ids: string[], next?: string) => void }[] = [];
    const parts = {
      api: {
        get: (_: string, { text = '' }: { text?: string }) =>
          new Promise((resolve) => {
            const tasksOf = (ids: string[]) => ids.map((id) => ({ queue: 'q', id }));
            asked.push({ text, answer: (ids, next) => resolve({ tasks: tasksOf(ids), next }) });
          }),
      },
      live: { changed: () => () => undefined },
      places: { get: () => left, here: () => 1, put: () => undefined },
      aheadMs: 0,
    };
    const List = ({ view }: { view: View }) =>
      h(
        'p',
        null,
        useTaskPages(view, false)
          .rows.map(({ id }) => id)
          .join(),
      );
    const { root, draw } = drawing();
    const show = (text: string) =>
      draw(h(PageContext.Provider, { value: parts }, h(List, { view: { ...empty, text } })));
    return { root, show, asked };
  }

  it('are not those of another one, also after the Back button', async () => {
    const held = { rows: [{ queue: 'q', id: 'a1' }], pages: 1, askedAt: 0, receivedAt: 0, isNew: false };
    const { root, show, asked } = await lists({ view: '?text=a', held, scrolled: 0 });
    show('a');
    expect(root.textContent).toBe('a1');
    await until(() => asked.length === 1);
    asked[0]!.answer(['a1', 'a2']);
    await until(() => root.textContent === 'a1,a2');
    show('b');
    await until(() => asked.length === 2 && root.textContent === '');
    asked[1]!.answer(['b1']);
    await until(() => root.textContent === 'b1');
    show('a');
    await until(() => asked.length === 3);
    await until(() => root.textContent === '');
    asked[2]!.answer(['a3']);
    await until(() => root.textContent === 'a3');
  });

  it('are shown as a search finds them, also after another one', async () => {
    const { root, show, asked } = await lists(undefined);
    show('a');
    await until(() => asked.length === 1);
    asked[0]!.answer(['a1']);
    await until(() => root.textContent === 'a1');
    show('b');
    await until(() => asked.length === 2);
    asked[1]!.answer(['b1'], 'behind b1');
    await until(() => asked.length === 3);
    await until(() => root.textContent === 'b1');
    asked[2]!.answer(['b2']);
    await until(() => root.textContent === 'b1,b2');
  });
});
