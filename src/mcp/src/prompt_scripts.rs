//! The ready-made analyses: which tools answer each step, in India and in the US, and what to make of it. Who fills them in is `prompts`.

/// A prompt.
pub(super) struct Script {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub arguments: &'static [Argument],
    pub opening: &'static str,
    pub lines: &'static [PromptStep],
    pub closing: &'static str,
}

/// An argument of a prompt.
pub(super) struct Argument {
    pub name: &'static str,
    pub description: &'static str,
    pub required: bool,
    /// What it is when it is left out.
    pub default: &'static str,
}

/// A step of an analysis: the tools that answer it in India and in the US, with their arguments, and what to look at.
pub(super) struct PromptStep(pub &'static str, pub &'static str, pub &'static str);

pub(super) const MARKET: Argument = Argument {
    name: "market",
    description: "india (NSE/BSE) or us (NYSE/NASDAQ); india if left out.",
    required: false,
    default: "india",
};
const SYMBOL: Argument =
    Argument { name: "symbol", description: "The company's ticker.", required: true, default: "" };
const SYMBOLS: Argument = Argument {
    name: "symbols",
    description: "The tickers, with commas between them.",
    required: true,
    default: "",
};
const DAYS: Argument = Argument {
    name: "days",
    description: "How many days back, such as 5; a week if left out.",
    required: false,
    default: "7",
};
const SECTOR: Argument = Argument {
    name: "sector",
    description: "Only this sector; all if left out.",
    required: false,
    default: "",
};
const QUARTER: Argument = Argument {
    name: "quarter",
    description: "The quarter, such as Jun 2026; the latest if left out.",
    required: false,
    default: "the latest quarter",
};

/// All of them.
pub(super) const SCRIPTS: [Script; 9] = [
    Script {
        name: "morning_brief",
        title: "Morning brief",
        description: "The state of a market on one page: breadth, trend, sectors, movers, news of companies.",
        arguments: &[MARKET],
        opening: "Write a morning brief of the market `{market}`, one page at most.",
        lines: &[
            PromptStep(
                "get_breakout_conditions",
                "us_get_breakout_conditions",
                "is the market's trend with breakouts or against them",
            ),
            PromptStep(
                "get_market_breadth days=5",
                "us_get_market_breadth",
                "advances against declines, stocks above their averages, and where that is going",
            ),
            PromptStep("get_market_sectors", "us_get_market_sectors", "the strongest and weakest sectors"),
            PromptStep(
                "get_top_movers direction=all limit=10",
                "us_get_top_movers period=1w limit=10",
                "what moved, and what it has in common",
            ),
            PromptStep("market_trader_scan", "us_market_trader_scan limit=10", "stocks that pass the scan"),
            PromptStep("get_circuit_stocks", "", "stocks at their price bands"),
            PromptStep("get_bulk_block_deals days=3 limit=10", "", "large deals"),
            PromptStep(
                "get_insider_feed days=5 limit=10",
                "us_get_sec_feed days=3 limit=10",
                "what insiders did or companies filed",
            ),
            PromptStep(
                "get_order_wins_feed days=3 limit=10",
                "us_get_order_wins days=5 limit=10",
                "orders won",
            ),
            PromptStep("get_corporate_actions_feed days=7", "", "corporate actions that come up"),
        ],
        closing: "Order it as: one-sentence summary; trend and breadth; sectors; movers and scans; company news; what to watch today.",
    },
    Script {
        name: "stock_deep_dive",
        title: "Stock deep dive",
        description: "Everything known of one company: business, figures, momentum, ownership, risks.",
        arguments: &[SYMBOL, MARKET],
        opening: "Look into `{symbol}` in the market `{market}` and write a report. If the symbol is not found, search the company by name first.",
        lines: &[
            PromptStep(
                "get_company_profile symbol={symbol}",
                "us_get_company_profile symbol={symbol}",
                "what it is, size, valuation",
            ),
            PromptStep(
                "get_momentum symbol={symbol}",
                "us_get_momentum symbol={symbol}",
                "relative strength, stage, averages, distance to the high",
            ),
            PromptStep("get_daily_prices symbol={symbol} limit=60", "", "the last sixty sessions"),
            PromptStep(
                "get_financials symbol={symbol} limit=8",
                "us_get_financials symbol={symbol} statement=all period_type=quarterly periods=8",
                "growth and margins, quarter by quarter",
            ),
            PromptStep(
                "get_ratios symbol={symbol}",
                "us_get_ratios symbol={symbol}",
                "returns on capital, leverage, cash",
            ),
            PromptStep(
                "get_ecs_score symbol={symbol}",
                "us_get_ecs_score symbol={symbol}",
                "how the last results were taken",
            ),
            PromptStep(
                "get_shareholding symbol={symbol}",
                "us_get_13f_holdings symbol={symbol}",
                "who owns it, and who buys or sells",
            ),
            PromptStep(
                "get_insider_trades symbol={symbol} days=180",
                "us_get_insider_trades symbol={symbol} days=180",
                "what insiders do",
            ),
            PromptStep("get_pledge_history symbol={symbol}", "", "shares that are pledged"),
            PromptStep(
                "get_corporate_actions symbol={symbol}",
                "us_get_order_wins symbol={symbol}",
                "actions of the company",
            ),
            PromptStep(
                "get_company_scorecard symbol={symbol}",
                "us_get_company_scorecard symbol={symbol}",
                "the scores by dimension",
            ),
            PromptStep(
                "get_management_tone symbol={symbol}",
                "us_get_management_tone symbol={symbol}",
                "what management says, and what it stopped saying",
            ),
        ],
        closing: "Order it as: summary in three sentences; business; figures; momentum and levels; ownership; what speaks for it and against it; what would change the view.",
    },
    Script {
        name: "sector_rotation",
        title: "Sector rotation",
        description: "Where strength moves between sectors, and the leading stocks of those that gain.",
        arguments: &[MARKET],
        opening: "Describe the rotation between the sectors of the market `{market}`.",
        lines: &[
            PromptStep("get_sector_rrg", "", "the quadrant of each sector now and its way there"),
            PromptStep("get_sector_rrg as_of=1m", "", "the quadrants a month ago"),
            PromptStep("get_market_sectors", "us_get_market_sectors", "mean rating and size of each sector"),
            PromptStep("get_industry_stages", "", "the stages of the industries"),
            PromptStep(
                "get_rs_changes direction=gainers",
                "",
                "stocks whose rating rose most, and their sectors",
            ),
            PromptStep(
                "get_market_momentum sector=SECTOR limit=5",
                "us_market_momentum sector=SECTOR limit=5",
                "the leaders of each sector that gains; call it for each",
            ),
        ],
        closing: "Give a table: sector, quadrant now and before, mean rating, leading stocks. Then say in a few sentences what rotates into what, and how broad it is.",
    },
    Script {
        name: "earnings_watch",
        title: "Earnings watch",
        description: "Who reported well, how the price took it, and what management said.",
        arguments: &[QUARTER, SECTOR, MARKET],
        opening: "Review the results of {quarter} in the market `{market}`; sector: `{sector}` (all, if empty).",
        lines: &[
            PromptStep(
                "get_ecs_leaderboard limit=25",
                "us_get_company_scorecard limit=25",
                "the strongest reports; give the quarter as an argument where one is asked for",
            ),
            PromptStep("get_pead_candidates limit=25", "", "those whose price still drifts after the report"),
            PromptStep(
                "get_financials symbol=SYMBOL limit=5",
                "us_get_financials symbol=SYMBOL period_type=quarterly",
                "the figures behind the five best; call it for each",
            ),
            PromptStep(
                "get_guidance_tone symbol=SYMBOL",
                "us_get_management_tone symbol=SYMBOL",
                "what management expects; call it for each",
            ),
            PromptStep(
                "get_momentum symbol=SYMBOL",
                "us_get_momentum symbol=SYMBOL",
                "whether the trend confirms it; call it for each",
            ),
        ],
        closing: "Give a table of the best five to ten: score, growth, margin, reaction of the price, tone. Then name reports that look good and are not confirmed.",
    },
    Script {
        name: "momentum_shortlist",
        title: "Momentum shortlist",
        description: "A short list of stocks in which trend, strength and volume agree.",
        arguments: &[MARKET, SECTOR],
        opening: "Make a short list of at most ten stocks of the market `{market}` in which trend, relative strength and volume agree; sector: `{sector}` (all, if empty).",
        lines: &[
            PromptStep("get_breakout_conditions", "us_get_breakout_conditions", "whether the market helps"),
            PromptStep(
                "get_conviction_ranking",
                "us_get_conviction_ranking",
                "stocks that pass several scans at once",
            ),
            PromptStep("get_market_momentum limit=20", "us_market_momentum limit=20", "the highest ratings"),
            PromptStep(
                "market_trader_scan scan_type=vcp",
                "us_market_trader_scan scan_type=vcp",
                "volatility contractions and their pivots",
            ),
            PromptStep("get_rs_changes", "", "ratings that rise"),
            PromptStep(
                "get_momentum symbol=SYMBOL",
                "us_get_momentum symbol=SYMBOL",
                "stage, averages and distance to the high; call it for each that is left",
            ),
        ],
        closing: "Give a table: symbol, rating, stage, scans passed, distance to the high, pivot. Say for each in one line why it is there and what would take it off.",
    },
    Script {
        name: "portfolio_check",
        title: "Portfolio check",
        description: "The risk of a portfolio, what is weak in it, and what happened to its companies.",
        arguments: &[SYMBOLS, MARKET],
        opening: "Check the portfolio `{symbols}` in the market `{market}`. If weights are known, give them with commas between them, in the order of the symbols.",
        lines: &[
            PromptStep(
                "compute_committee_risk symbols={symbols} market=india",
                "compute_committee_risk symbols={symbols} market=us",
                "volatility, drawdown, value at risk, the highest correlations, and each stock's share of the risk",
            ),
            PromptStep(
                "allocate_committee_risk symbols={symbols} market=india",
                "allocate_committee_risk symbols={symbols} market=us",
                "the weights of a portfolio that spreads its risk evenly",
            ),
            PromptStep(
                "fast_scan_committee symbols={symbols} market=india",
                "fast_scan_committee symbols={symbols} market=us",
                "the signal of each stock and the gates that it fails",
            ),
            PromptStep(
                "get_momentum symbol=SYMBOL",
                "us_get_momentum symbol=SYMBOL",
                "stage and relative strength; call it for each",
            ),
            PromptStep(
                "get_pledge_history symbol=SYMBOL",
                "",
                "shares that are pledged; call it for those that the scan fails",
            ),
        ],
        closing: "Give a table: symbol, weight, share of the risk, signal, stage, rating. Then say which pairs move together, which stock carries more risk than weight, and what failed where.",
    },
    Script {
        name: "compare",
        title: "Compare stocks",
        description: "Two to eight companies side by side: size, growth, returns, valuation, strength.",
        arguments: &[SYMBOLS, MARKET],
        opening: "Compare the companies `{symbols}` of the market `{market}` in one table.",
        lines: &[
            PromptStep(
                "get_company_profile symbol=SYMBOL",
                "us_get_company_profile symbol=SYMBOL",
                "sector, size, valuation and growth; call it for each",
            ),
            PromptStep(
                "get_company_scorecard symbol=SYMBOL",
                "us_get_company_scorecard symbol=SYMBOL",
                "the scores by dimension; call it for each",
            ),
            PromptStep(
                "get_momentum symbol=SYMBOL",
                "us_get_momentum symbol=SYMBOL",
                "rating, stage and distance to the high; call it for each",
            ),
            PromptStep(
                "get_financials symbol=SYMBOL limit=5",
                "us_get_financials symbol=SYMBOL period_type=quarterly",
                "growth and margin of the last quarters; call it where they decide",
            ),
        ],
        closing: "One row a company, one column a figure, with units. Mark the best of each column, and say in three sentences what tells them apart. Where the companies are of different sectors, say which figures cannot be compared.",
    },
    Script {
        name: "what_changed",
        title: "What changed",
        description: "What changed in a market over the last days: ratings, results, insiders, deals, orders.",
        arguments: &[DAYS, MARKET],
        opening: "Say what changed in the market `{market}` over the last {days} days.",
        lines: &[
            PromptStep(
                "get_market_breadth",
                "us_get_market_breadth",
                "whether more or fewer stocks take part",
            ),
            PromptStep(
                "get_sector_rrg as_of=1m",
                "",
                "the quadrants a month ago; compare them with those of now",
            ),
            PromptStep("get_rs_changes direction=gainers", "", "ratings that rose most"),
            PromptStep("get_rs_changes direction=losers", "", "ratings that fell most"),
            PromptStep("get_top_movers limit=10", "us_get_top_movers period=1w limit=10", "what moved"),
            PromptStep(
                "get_insider_feed days={days} limit=20",
                "us_get_sec_feed days={days} limit=20",
                "what insiders did or companies filed",
            ),
            PromptStep("get_bulk_block_deals days={days} limit=10", "", "large deals"),
            PromptStep(
                "get_order_wins_feed days={days} limit=10",
                "us_get_order_wins days={days} limit=10",
                "orders won",
            ),
            PromptStep("get_corporate_actions_feed days={days}", "", "corporate actions"),
        ],
        closing: "Lead with the three changes that matter most, then a short list by subject. Leave out what did not change. Say from which session to which.",
    },
    Script {
        name: "committee",
        title: "Committee on a stock",
        description: "A quick scan by three lenses, then, if wanted, a committee of analysts with dissent and a verdict.",
        arguments: &[SYMBOL, MARKET],
        opening: "Prepare a committee on `{symbol}` of the market `{market}`. Ask before anything is started that costs tokens. Never ask for a key of a model provider in the chat: keys are saved on a page of the server.",
        lines: &[
            PromptStep(
                "fast_scan_committee symbols={symbol} market=india detail=full",
                "fast_scan_committee symbols={symbol} market=us detail=full",
                "the gates of the three lenses with their figures; costs nothing",
            ),
            PromptStep(
                "estimate_committee_run",
                "estimate_committee_run",
                "what a run costs, and how many are left today",
            ),
            PromptStep(
                "start_committee symbol={symbol} market=india",
                "start_committee symbol={symbol} market=us",
                "starts it, only after a clear yes",
            ),
            PromptStep(
                "check_committee_status job_id=ID",
                "check_committee_status job_id=ID",
                "how far it is",
            ),
            PromptStep(
                "get_committee_report job_id=ID",
                "get_committee_report job_id=ID",
                "the verdict and the dissent",
            ),
        ],
        closing: "Give the scan first. After a run give verdict, agreement, the strongest argument of each side, and what would change the verdict.",
    },
];
