// The literature behind the steps. Titles stay in the language they were written in.

import type { StepId } from './names';

export const REFERENCES: readonly { step: StepId; work: string }[] = [
  { step: 'onehot', work: 'Bengio, Ducharme, Vincent & Jauvin (2003). A neural probabilistic language model. JMLR 3.' },
  { step: 'noise', work: 'Firth (1957). A synopsis of linguistic theory 1930–1955. Studies in Linguistic Analysis.' },
  { step: 'noise', work: 'Mikolov, Sutskever, Chen, Corrado & Dean (2013). Distributed representations of words and phrases and their compositionality. NeurIPS.' },
  { step: 'length', work: 'Radovanović, Nanopoulos & Ivanović (2010). Hubs in space: popular nearest neighbors in high-dimensional data. JMLR 11.' },
  { step: 'analogy', work: 'Linzen (2016). Issues in evaluating semantic spaces using word analogies. RepEval.' },
  { step: 'analogy', work: 'Rogers, Drozd & Li (2017). The (too many) problems of analogical reasoning with word vectors. *SEM.' },
  { step: 'analogy', work: 'Nissim, van Noord & van der Goot (2020). Fair is better than sensational: man is to doctor as woman is to doctor. Computational Linguistics 46.' },
  { step: 'tied', work: 'Press & Wolf (2017). Using the output embedding to improve language models. EACL.' },
  { step: 'directions', work: 'Cai, Fan & Jiang (2013). Distributions of angles in random packing on spheres. JMLR 14.' },
  { step: 'crowd', work: 'Welch (1974). Lower bounds on the maximum cross correlation of signals. IEEE Trans. Information Theory 20.' },
  { step: 'crowd', work: 'Johnson & Lindenstrauss (1984). Extensions of Lipschitz mappings into a Hilbert space. Contemporary Mathematics 26.' },
  { step: 'packing', work: 'Conway, Hardin & Sloane (1996). Packing lines, planes, etc. Experimental Mathematics 5.' },
  { step: 'superposition', work: 'Elhage et al. (2022). Toy models of superposition. Transformer Circuits Thread.' },
  { step: 'pmi', work: 'Levy & Goldberg (2014). Neural word embedding as implicit matrix factorization. NeurIPS.' },
  { step: 'width', work: 'Yin & Shen (2018). On the dimensionality of word embedding. NeurIPS.' },
  { step: 'map', work: 'Jolliffe (2002). Principal component analysis. Springer.' },
  { step: 'cone', work: 'Ethayarajh (2019). How contextual are contextualized word representations? EMNLP.' },
  { step: 'cone', work: 'Mu & Viswanath (2018). All-but-the-top: simple and effective postprocessing for word representations. ICLR.' },
  { step: 'cone', work: 'Gao, He, Tan, Qin, Wang & Liu (2019). Representation degeneration problem in training natural language generation models. ICLR.' },
  { step: 'lens', work: 'nostalgebraist (2020). Interpreting GPT: the logit lens.' },
  { step: 'lens', work: 'Belrose et al. (2023). Eliciting latent predictions from transformers with the tuned lens.' },
  { step: 'limits', work: 'Land & Bartolo (2024). Fishing for Magikarp: automatically detecting under-trained tokens in large language models. EMNLP.' },
];
