import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RunNotes } from '../../lib/runner/run-notes.js';

const messagesOf = (notes: RunNotes) => notes.left?.lines?.map(({ message }) => message) ?? [];

describe('The notes of a run', () => {
  it('are nothing before it has said something, and after all of it is stored', () => {
    const notes = new RunNotes();
    expect(notes.left).toBeUndefined();
    notes.log('a line', 7);
    notes.progress(40, 'page 4 of 10');
    expect(notes.take()).toEqual({
      lines: [{ at: 7, message: 'a line' }],
      progress: { percent: 40, note: 'page 4 of 10' },
    });
    notes.sent();
    expect(notes.left).toBeUndefined();
    expect(notes.take()).toBeUndefined();
  });

  it('are the latest progress and the latest hundred lines', () => {
    const notes = new RunNotes();
    for (let n = 1; n <= 250; n++) {
      notes.log(`line ${n}`, n);
      notes.progress(n / 10);
    }
    const { lines, progress } = notes.take()!;
    expect(progress).toEqual({ percent: 25 });
    expect(lines).toHaveLength(100);
    expect([lines![0], lines![99]]).toEqual([
      { at: 151, message: 'line 151' },
      { at: 250, message: 'line 250' },
    ]);
  });

  it('that could not be sent are kept in their order before what was said since, within the same bounds', () => {
    const notes = new RunNotes();
    for (let n = 1; n <= 70; n++) notes.log(`${n}`, n);
    notes.progress(10);
    notes.take();
    for (let n = 71; n <= 140; n++) notes.log(`${n}`, n);
    notes.unsent();
    expect(messagesOf(notes)).toEqual(Array.from({ length: 100 }, (_, n) => `${n + 41}`));
    expect(notes.left?.progress).toEqual({ percent: 10 });
    notes.take();
    notes.progress(20);
    notes.unsent();
    expect(notes.left?.progress).toEqual({ percent: 20 });
  });

  it('leave to the outcome no line that is under way, but a progress that nobody has confirmed', () => {
    const notes = new RunNotes();
    notes.log('under way', 1);
    notes.progress(50);
    notes.take();
    expect(notes.left).toEqual({ progress: { percent: 50 } });
    notes.log('after it', 2);
    notes.progress(60);
    expect(notes.left).toEqual({ progress: { percent: 60 }, lines: [{ at: 2, message: 'after it' }] });
  });

  it('cut a line at 2,000 bytes and a note at 500, between two characters', () => {
    const notes = new RunNotes();
    const fits = 'x'.repeat(2_000);
    notes.log(fits, 0);
    notes.log(`${fits}x`, 0);
    notes.log('ü'.repeat(1_001), 0);
    notes.log('\u{1f600}'.repeat(501), 0);
    notes.progress(1, 'n'.repeat(501));
    const [whole, ascii, umlauts, smileys] = messagesOf(notes);
    expect(whole).toBe(fits);
    expect(ascii).toBe(`${'x'.repeat(1_997)}…`);
    expect(umlauts).toBe(`${'ü'.repeat(998)}…`);
    expect(smileys).toBe(`${'\u{1f600}'.repeat(499)}…`);
    expect(notes.left?.progress?.note).toBe(`${'n'.repeat(497)}…`);
  });

  it('take no more than 64 KiB in the hundred lines that a record keeps, whatever is said and whenever it is sent', () => {
    const said = fc.array(
      fc.tuple(
        fc.constantFrom('x', 'ü', '\u{1f600}', '\ud800'),
        fc.integer({ min: 0, max: 5_000 }),
        fc.boolean(),
      ),
      { minLength: 50, maxLength: 400, size: 'max' },
    );
    fc.assert(
      fc.property(said, (messages) => {
        const notes = new RunNotes();
        let record: string[] = [];
        const store = () => {
          record = [...record, ...(notes.take()?.lines ?? []).map(({ message }) => message)].slice(-100);
          notes.sent();
        };
        for (const [letter, times, isSent] of messages) {
          notes.log(letter.repeat(times), 0);
          if (isSent) store();
          const kept = [...record, ...messagesOf(notes)].slice(-100);
          const bytes = kept.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
          expect(bytes).toBeLessThanOrEqual(64 * 1024);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('still say something of every line when there are many long ones', () => {
    const notes = new RunNotes();
    for (let n = 0; n < 100; n++) notes.log(`${n} ${'x'.repeat(3_000)}`, 0);
    const messages = messagesOf(notes);
    expect(messages[0]).toHaveLength(1_998);
    expect(messages[99]).toMatch(/^99 x{200,}…$/);
  });
});
