/** Texts with what stands for something else somewhere between a caller and the server. */
export const oddTexts = {
  'question marks': '{"a":"? ?? \\\\? $? ?|"}',
  'names behind a colon': '{"a":":name :name: ::text \\\\:b @c #d"}',
  'numbers behind a dollar': '{"a":"$1 $2 $$ $a$ ${b} {{c}} %s %1 %%"}',
  'quotes and backslashes': `{"a":"' '' \\" \`\` \\\\ \\\\\\\\ \\n \\u0000 E'\\\\x41'"}`,
  'signs of statements': '{"a":"); DROP TABLE x; -- /* */ \' OR 1=1"}',
  'other scripts': '{"a":"ä ß € 日本語 العربية 👩‍👩‍👧‍👦 \u{10FFFF} \u2028 \u00AD\uFEFF é é"}',
  'line ends and tabs': '{\r\n\t"a" :\n1 }\n',
  'what looks like another type': '"2026-11-17T10:00:00.000Z"',
  'a null': 'null',
  'a number': '12345678901234567890.10',
  'a boolean': 'true',
  'an array': '[1,2,[3,"{4}"]]',
  'no character': '',
};
