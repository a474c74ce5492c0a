import { describe, expect, it } from '@jest/globals';
import { Inject, Module, Scope, type Type } from '@nestjs/common';
import { Job } from 'nestjs-jobs';
import { start } from './fixtures/start.js';

const PLACE = Symbol('place');

describe('a job that two modules provide', () => {
  function modules() {
    const ran: Record<string, string> = {};
    class Base {
      constructor(@Inject(PLACE) private readonly place: string) {}
      run(): void {
        ran[this.constructor.name] = this.place;
      }
    }
    @Job({ name: 'Shared' })
    class Shared extends Base {}
    @Job({ name: 'Scoped', scope: Scope.REQUEST })
    class Scoped extends Base {}
    @Job({ name: 'Transient', scope: Scope.TRANSIENT })
    class Transient extends Base {}
    const jobs = [Shared, Scoped, Transient];
    @Module({ providers: [...jobs, { provide: PLACE, useValue: 'one' }] })
    class One {}
    @Module({ providers: [...jobs, { provide: PLACE, useValue: 'two' }] })
    class Two {}
    return { ran, jobs, One, Two };
  }

  it.each([
    ['in this order', ({ One, Two }: Record<'One' | 'Two', Type>) => [One, Two], 'one'],
    ['in the other order', ({ One, Two }: Record<'One' | 'Two', Type>) => [Two, One], 'two'],
  ])('has the dependencies of the first of them, whatever its scope, %s', async (_, order, place) => {
    const { ran, jobs, ...both } = modules();
    const app = await start({ imports: order(both) });
    for (const job of jobs) await app.jobs.enqueue(job);
    await app.advance(0);
    expect(ran).toEqual({ Shared: place, Scoped: place, Transient: place });
  });
});
