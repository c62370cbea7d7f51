import { said } from './said';

export const lens = said(
  {
    title: 'Reading a state half-way',
    words: [
      'A model is a stack of layers; what stands after one of them is its state. The output end can be pointed at any layer: which rows does the state agree with most? This is the logit lens. It shows a guess taking shape, seen through a reading that was trained for the last layer only.',
      'Layer 0 needs no model: the state is the token’s own row. Choose a word and read it.',
    ],
    ask: 'Read at layer 0, straight from the table: which word does a row answer with?',
    options: ['mostly itself or a spelling of itself', 'the word that usually comes next', 'a random word'],
    means:
      'At the table a token mostly says itself. Turning “this word” into “the next word” is the work of the layers. An early layer that shows nothing through the lens may still hold it in another form.',
    curious: ['logits are the scores of all tokens before they become probabilities; N is the model’s last normalisation (it scales a state to a fixed size), W_U its output table. At the last layer the lens is the model’s own answer; before, a borrowed reading.'],
    live: {
      word: 'Word',
      answers: (word: string) => `rows that the row of ${word} answers with, by dot product`,
      itself: 'itself or a spelling of itself',
      other: 'another word',
      noModel: (name: string) => `No layer of ${name} can run here: only layer 0 can be read. To see them all, bring a small model (armillary fetch smollm2) and open it: armillary serve demo:smollm2.`,
      grid: 'After the last token of the prompt; the whole grid is in the Lens room.',
      prompt: (prompt: string) => `After “${prompt}”`,
      run: (prompt: string) => `Run the model on “${prompt}”`,
      layer: 'Layer',
      rank: (answer: string) => `rank of the model’s own answer, ${answer}`,
      told: (own: string, all: string) => `First is itself, or a spelling of it, for ${own} of ${all} words.`,
    },
  },
  {
    title: '在半路上读一读',
    words: [
      '模型由许多层叠成，最后一层的状态才拿去挑词。可是任何一层的状态，都可以提前拿去跟每一行求点积，看它此刻想说什么。这叫 logit 透镜。它让人看见一个猜测怎样成形，只是这副眼镜是照着最后一层配的。',
      '第 0 层不用模型：状态就是词元自己的行。选一个词，读读看。',
    ],
    ask: '在第 0 层直接读表，点积最大的会是谁？',
    options: ['多半是它自己，或自己的另一种写法', '常跟在它后面的词', '随便一个词'],
    means: '在表里，一个词元说的多半还是它自己，或与它同义的词。把“这个词”变成“下一个词”，是各层的功夫。靠前的层透过这副眼镜看不出什么，不等于里面没有，也许只是换了个写法。',
    curious: ['logits 是各词元变成概率之前的得分；N 是模型最后的归一化（把状态缩放到固定的大小），W_U 是输出表。在最后一层，透镜就是模型自己的回答；在之前的层，只是借来一读。'],
    live: {
      word: '词',
      answers: (word) => `与“${word}”那一行点积最大的`,
      itself: '自己，或自己的写法',
      other: '别的词',
      noModel: (name) => `${name} 只是一张表，后面没有能跑的层，只能读第 0 层。想看每一层，请先取一个小模型（armillary fetch smollm2），再打开它：armillary serve demo:smollm2。`,
      grid: '读的是提示里最后一个词元之后；整张网格在“透镜”房间。',
      prompt: (prompt) => `“${prompt}”之后`,
      run: (prompt) => `让模型读“${prompt}”`,
      layer: '层',
      rank: (answer) => `模型自己的回答 ${answer} 排第几`,
      told: (own, all) => `${all} 个词里，有 ${own} 个最先说出的是自己，或自己的写法。`,
    },
  },
);
